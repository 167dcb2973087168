/**
 * The streams of one event loop: a selector of {@code java.nio} or an event loop of Netty.
 *
 * <p>A stream is either <em>polled</em>, because it was active lately: its ring is looked at
 * directly, without the kernel; or it is <em>armed</em>: it was looked at once more after the peer
 * had been told to ring the doorbell, and the doorbell makes its TCP connection readable, for which
 * a JDK selector waits. So 10,000 idle streams and 10 busy ones cost 10 polls, and an idle process
 * sleeps.
 *
 * <pre>
 *   PollLoop ------ when to poll, to ask the kernel, to arm and to sleep
 *     |-- PolledStreams --- which streams are polled, and when they become armed
 *     |-- KernelPoll ------ the JDK selector: when it was asked, and the one place that sleeps
 *     '-- WatchedChannel -- one channel that only the kernel knows; what it is asked
 *           '-- WatchedStream -- one stream: ring and TCP connection together
 * </pre>
 */
@NullMarked
package org.slipstream.core.loop;

import org.jspecify.annotations.NullMarked;
