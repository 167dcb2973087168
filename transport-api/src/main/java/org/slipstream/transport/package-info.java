/**
 * The contract between the core and the backends: what a way of moving bytes must do, and what it
 * may use. No threads and no policy live here.
 *
 * <pre>
 *   core  -- Transport.open(host) --> Endpoint -- findPeers --> Session -- join --> Link
 *   core &lt;-- TransportHost: sessionOpened, frameReceived, sessionLost --             |
 *   core reads its own Window, writes through the Link -------------------------------
 * </pre>
 *
 * <p>Hostile input: everything that comes from a peer (frames, descriptors, window words).
 */
@NullMarked
@Stability(Stability.Level.EVOLVING)
package org.slipstream.transport;

import org.jspecify.annotations.NullMarked;
