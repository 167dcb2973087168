/**
 * Streams: the semantics of TCP sockets over an anchor and, perhaps, a link. Written once for all
 * faces.
 *
 * <pre>
 *   face --&gt; Stream --+-- Inbound  (read lock)  -- AnchorReader -- anchor
 *                     |        \-- RingConsumer -- window
 *                     +-- Outbound (write lock) -- anchor
 *                              \-- RingProducer -- peer's window
 * </pre>
 */
@NullMarked
package org.slipstream.core.stream;

import org.jspecify.annotations.NullMarked;
