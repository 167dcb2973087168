/**
 * The adapter for asynchronous channels ({@code java.nio.channels.Asynchronous…}).
 *
 * <p>Each operation is tried at once on one of our own non-blocking channels; if there is nothing
 * to be had yet, the channel's key listens and a thread of the group goes on when the selector says
 * so. No stream semantics are here: only what asynchronous channels add, which is groups, handlers,
 * futures, timeouts and cancellation, copied from the JDK.
 */
@NullMarked
@Stability(Stability.Level.STABLE)
package org.slipstream.provider.async;

import org.jspecify.annotations.NullMarked;
import org.slipstream.transport.Stability;
