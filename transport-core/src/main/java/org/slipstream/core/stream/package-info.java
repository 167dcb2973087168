/**
 * Streams: the semantics of TCP sockets over a TCP connection and, perhaps, a link. Written once
 * for all adapters.
 *
 * <pre>
 *   adapter --&gt; Stream --+-- Inbound  (read lock)  --+-- PlainReader ---- TCP
 *                        |                           +-- ControlIntake -- TCP
 *                        |                           \-- RingConsumer --- window
 *                        +-- Outbound (write lock) --+-- TCP
 *                                                    +-- OutboundSwitch -- TCP
 *                                                    \-- RingProducer ---- peer's window
 * </pre>
 *
 * <p>The parts share a {@code StreamContext} and know nothing of the stream above them; what they
 * have to tell it goes through {@code StreamSignals}. Which medium a direction uses is decided in
 * {@code org.slipstream.core.upgrade}.
 */
@NullMarked
package org.slipstream.core.stream;

import org.jspecify.annotations.NullMarked;
