/**
 * The face for {@code java.nio.channels}: each class translates and delegates to a stream of the
 * core.
 *
 * <pre>
 *   SlipstreamSelectorProvider
 *     +- SlipstreamSocketChannel ------- Stream -- anchor (JDK channel)
 *     |     \- SocketAdaptor                          |
 *     +- SlipstreamServerSocketChannel -- anchor      |
 *     |     \- ServerSocketAdaptor                    |
 *     +- SlipstreamSelector -- SlipstreamSelectionKey |
 *              \- private JDK selector ---------------+-- and every foreign channel
 * </pre>
 */
@NullMarked
package org.slipstream.provider.nio;

import org.jspecify.annotations.NullMarked;
