/**
 * The limit: a bare ring between two processes over one mapped file, without anything that makes a
 * ring a socket.
 *
 * <p>No bounds checks on the peer's positions, no fence, no arming, no sleeping, no end of stream.
 * The last row of both tables comes from here and says what the memory of the machine can do; a
 * transport is as good as it comes near. It runs the same timed loops as the other rows, by way of
 * {@link org.slipstream.benchmarks.programs.Wire}.
 *
 * <p>Threads: one producer and one consumer for each ring, each in its own process.
 */
@NullMarked
package org.slipstream.benchmarks.raw;

import org.jspecify.annotations.NullMarked;
