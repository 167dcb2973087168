/**
 * Shared memory on one host: windows are files in a private tmpfs directory that both processes
 * map; the control channel is a Unix-domain socket. Pure Java, no native call.
 *
 * <pre>
 *   ShmTransport - ShmEndpoint - ShmSession -+- OwnSlab - ShmWindow     (peer writes, we read)
 *                     |                      +- PeerSlab - CoherentLink (we write, peer reads)
 *              RuntimeDirectory
 * </pre>
 *
 * <p>Threads: everything but {@code ShmWindow.grow}, {@code ShmSession.send} and the data path of
 * {@code CoherentLink} runs on the control thread.
 */
@NullMarked
@Stability(Stability.Level.INTERNAL)
package org.slipstream.shm;

import org.jspecify.annotations.NullMarked;
import org.slipstream.transport.Stability;
