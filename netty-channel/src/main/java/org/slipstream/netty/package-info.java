/**
 * Slipstream as a transport of Netty 4.2, with the set of names that its other transports have.
 *
 * <pre>
 *   new MultiThreadIoEventLoopGroup(SlipstreamIoHandler.newFactory())
 *   SlipstreamServerSocketChannel · SlipstreamSocketChannel
 * </pre>
 *
 * <p>The channels read and write the streams of the core directly, on the event loop's thread. What
 * a stream means (switching, arming, closing) is the core's; what a channel means (auto-read,
 * promises, half-closure) is Netty's, and as in its NIO transport.
 */
@NullMarked
@Stability(Stability.Level.STABLE)
package org.slipstream.netty;

import org.jspecify.annotations.NullMarked;
import org.slipstream.transport.Stability;
