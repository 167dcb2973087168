package org.slipstream.benchmarks.driver;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.programs.Mode;
import org.slipstream.benchmarks.programs.Slice;

/**
 * All that one run of a command is to do.
 *
 * @param exercise what is measured
 * @param mode how the programs wait
 * @param carriers the rows of each size, in the order in which they take turns
 * @param sizes bytes of a message
 * @param rounds turns of each carrier for each size
 * @param sliceMillis the length of a turn
 * @param warmupMillis how long each team runs before the first size
 * @param intervalMicros one exchange in so many microseconds, or 0 for back to back
 * @param pairs pairs of processes at work at the same time
 * @param idle silent connections beside the busy one
 * @param busy connections of one pair that are at work at the same time; more than 1 only over
 *     Netty
 * @param flush messages of a flush over Netty, or 0 for as many as the channel takes
 * @param port the first server's port, the next one takes the next; 0 for any
 * @param pin whether each process is to have a core of its own
 * @param slipstreamJar the agent, needed for {@link Carrier#SHM}
 * @param jvmArguments further arguments of each program's JVM
 */
public record Plan(
    Exercise exercise,
    Mode mode,
    List<Carrier> carriers,
    List<Integer> sizes,
    int rounds,
    long sliceMillis,
    long warmupMillis,
    long intervalMicros,
    int pairs,
    int idle,
    int busy,
    int flush,
    int port,
    boolean pin,
    @Nullable Path slipstreamJar,
    List<String> jvmArguments) {

  /** A turn begins with so much that is not recorded: the pair has just slept. */
  private static final long MOST_TURN_WARMUP = 50;

  /** New sizes take new paths through the code. */
  private static final long SIZE_WARMUP = 200;

  /** Back to back even for sparse traffic, since only work makes the compiler work. */
  Slice firstWarmup() {
    return new Slice(sizes.getFirst(), warmupMillis, 1, 0);
  }

  Slice sizeWarmup(int size) {
    return new Slice(size, 0, Math.min(SIZE_WARMUP, sliceMillis), intervalMicros);
  }

  Slice turn(int size) {
    long warmup = Math.min(MOST_TURN_WARMUP, sliceMillis / 10);
    return new Slice(size, warmup, sliceMillis - warmup, intervalMicros);
  }

  /** What the others are compared with, if it is measured. */
  Carrier baseline() {
    return Stream.of(Carrier.NETTY_EPOLL, Carrier.GUEST_TCP)
        .filter(carriers::contains)
        .findFirst()
        .orElse(Carrier.TCP);
  }

  /** Returns whether all programs run in a virtual machine. */
  boolean isInGuest() {
    return carriers.stream().allMatch(Carrier::isInGuest);
  }

  int largestSize() {
    return sizes.stream().mapToInt(Integer::intValue).max().orElseThrow();
  }
}
