/**
 * Streams through memory of another node that is mapped across a PCIe Non-Transparent Bridge.
 *
 * <p>Write remote, read local, and never load through the bridge but to read back: stores are
 * posted and cheap, a load costs microseconds.
 */
@NullMarked
@Stability(Stability.Level.INTERNAL)
package org.slipstream.ntb;

import org.jspecify.annotations.NullMarked;
import org.slipstream.transport.Stability;
