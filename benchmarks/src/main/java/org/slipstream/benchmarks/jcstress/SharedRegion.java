package org.slipstream.benchmarks.jcstress;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.slipstream.memory.Domain;
import org.slipstream.memory.Queue;
import org.slipstream.memory.Region;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Right;
import org.slipstream.memory.Status;

/**
 * A region that this process exports and has mapped, in places for many states: made once, because
 * a state of a stress test has to be made in a moment. Owner and client use two mappings of the
 * same pages, as two processes do.
 */
final class SharedRegion {
  /** Bytes of a place: two cache lines, and those that are fetched with them. */
  static final int PLACE = 256;

  private static final long PLACES = 1 << 16;
  private static final Domain DOMAIN;
  private static final Region OWN;
  private static final RemoteRegion MAPPED;
  private static final AtomicLong NEXT = new AtomicLong();

  static {
    try {
      Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "slipstream-stress-");
      DOMAIN = Domain.open(directory);
      OWN = DOMAIN.export("stress", PLACES * PLACE, EnumSet.allOf(Right.class));
      MAPPED = DOMAIN.map(DOMAIN.owner(), "stress");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private SharedRegion() {}

  private static void delete(Path directory) {
    DOMAIN.close();
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    } catch (IOException e) {
      System.err.println("Left behind: " + e);
    }
  }

  /** The beginning of a place that is all zero, and that no other state has for a long time. */
  static long place() {
    long at = NEXT.getAndIncrement() % PLACES * PLACE;
    OWN.memory().asSlice(at, PLACE).fill((byte) 0);
    return at;
  }

  /** One actor's way to a region: a queue, and one word of local memory. */
  static final class Actor {
    private final Queue queue = DOMAIN.queue(4);
    private final long[] tickets = new long[4];
    private final Status[] statuses = new Status[4];
    private final MemorySegment word = MemorySegment.ofArray(new long[1]);

    private void end(boolean posted) {
      queue.submit();
      if (!posted || queue.poll(tickets, statuses) != 1 || statuses[0] != Status.OK) {
        throw new AssertionError("an operation ended with " + statuses[0]);
      }
    }

    void write(long at, MemorySegment from) {
      end(queue.write(MAPPED, at, from, 1));
    }

    void read(long at, MemorySegment into) {
      end(queue.read(MAPPED, at, into, 1));
    }

    void write(long at, long value) {
      word.set(ValueLayout.JAVA_LONG, 0, value);
      write(at, word);
    }

    long read(long at) {
      read(at, word);
      return word.get(ValueLayout.JAVA_LONG, 0);
    }

    long fetchAdd(long at, long delta) {
      end(queue.fetchAdd(MAPPED, at, delta, word, 1));
      return word.get(ValueLayout.JAVA_LONG, 0);
    }

    long compareAndSet(long at, long expected, long value) {
      end(queue.compareAndSet(MAPPED, at, expected, value, word, 1));
      return word.get(ValueLayout.JAVA_LONG, 0);
    }

    void flush() {
      if (queue.flush(MAPPED) != Status.OK) {
        throw new AssertionError("flush");
      }
    }
  }
}
