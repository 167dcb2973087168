/**
 * The adapter for {@code java.nio.channels}: each class translates and delegates to a stream of the
 * core.
 *
 * <pre>
 *   SlipstreamSelectorProvider
 *     +- SlipstreamSocketChannel ------- Stream -- TCP connection (JDK channel)
 *     |     \- SocketAdaptor                          |
 *     +- SlipstreamServerSocketChannel -- TCP connection      |
 *     |     \- ServerSocketAdaptor                    |
 *     +- SlipstreamSelector -- SlipstreamSelectionKey |
 *              \- private JDK selector ---------------+-- and every foreign channel
 * </pre>
 */
@NullMarked
@Stability(Stability.Level.STABLE)
package org.slipstream.provider.nio;

import org.jspecify.annotations.NullMarked;
import org.slipstream.transport.Stability;
