package org.slipstream.testkit.fault;

import java.nio.ByteBuffer;
import org.slipstream.transport.ProcessId;

/**
 * A window.
 *
 * @param owner whose it is: two processes may call different windows the same
 * @param descriptor what its owner calls it
 */
record Place(ProcessId owner, ByteBuffer descriptor) {}
