/**
 * The byte ring: sender, receiver, and what proves that bytes have arrived. Positions are 64-bit
 * counts that only grow; an offset is a place in the ring; a span is a contiguous piece.
 *
 * <pre>
 *        our process                          the peer's process
 *   RingProducer --- bytes, position --&gt;  window --- RingConsumer
 *   RingConsumer --- credit, armed ----&gt;  (control block)
 *        |                                       |
 *      window    &lt;--- bytes, position ---  RingProducer
 * </pre>
 *
 * <p>Threads: a producer belongs to the thread that holds the stream's write lock, a consumer to
 * the one that holds its read lock. Nothing here waits.
 */
@NullMarked
package org.slipstream.core.ring;

import org.jspecify.annotations.NullMarked;
