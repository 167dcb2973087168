/**
 * Pipes that wake event loops: one for each loop that sleeps, whatever the number of its streams
 * ({@code docs/adr/0031-one-pipe-wakes-a-loop.md}).
 *
 * <pre>
 *        our process                           the peer's process
 *   OwnPipe (of an event loop) &lt;--- records --- PeerPipe (of a session) &lt;--- WindowDoorbell (of a link)
 * </pre>
 *
 * <p>No class of this package but {@link DoorbellSource} and {@link Descriptors} is loaded before
 * the first event loop sleeps over a stream of shared memory, or the first link is made.
 */
@NullMarked
package org.slipstream.core.doorbell;

import org.jspecify.annotations.NullMarked;
