package org.slipstream.benchmarks.memory;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.slipstream.memory.Domain;
import org.slipstream.memory.Owner;
import org.slipstream.memory.Queue;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Status;

/**
 * {@code DIRECTORY PID PORT}: maps the region of a {@link MemoryOwner} and connects to it. A line
 * {@code KIND BYTES SPAN COUNT} is answered by {@code result NANOS}, the time of so many reads of
 * so many bytes from random places within the first SPAN bytes, a power of two.
 *
 * <p>Where the next read goes depends on what this one has read, so reads follow one another: it is
 * the time until the bytes are there that is measured, as for a read over a network. All kinds
 * compute the places in the same way.
 */
public final class MemoryReader {
  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
  private static final int MOST_BYTES = 1 << 20;

  /** Reads of one call: the compiler looks at methods that are called often. */
  private static final int CHUNK = 1000;

  /** Odd: each place leads to another one even if all words were zero. */
  private static final long STEP = 0x9E3779B97F4A7C15L;

  private final RemoteRegion region;
  private final MemorySegment direct;
  private final Queue queue;
  private final SocketChannel stream;
  private final long[] tickets = new long[1];
  private final Status[] statuses = new Status[1];
  private final MemorySegment local = Arena.global().allocate(MOST_BYTES, 64);
  private final ByteBuffer request = ByteBuffer.allocateDirect(MemoryOwner.REQUEST_BYTES);

  /** Kept, so that no compiler leaves the reads out. */
  private long place;

  private MemoryReader(RemoteRegion region, Queue queue, SocketChannel stream) {
    this.region = region;
    this.direct = region.direct().orElseThrow();
    this.queue = queue;
    this.stream = stream;
  }

  /** Says {@code ready} when it can be asked. */
  public static void main(String[] args) throws IOException, InterruptedException {
    int port = Integer.parseInt(args[2]);
    try (Domain domain = Domain.open(Path.of(args[0]));
        RemoteRegion region =
            domain.map(Owner.process(Long.parseLong(args[1])), MemoryOwner.REGION);
        SocketChannel stream =
            SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
      MemoryReader reader = new MemoryReader(region, domain.queue(1), stream);
      System.out.println("ready");
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
      for (String line = in.readLine();
          line != null && !line.equals("quit");
          line = in.readLine()) {
        System.out.println("result " + reader.run(line.split(" ", -1)));
      }
    }
  }

  private long run(String[] words) throws IOException {
    int bytes = Integer.parseInt(words[1]);
    long span = Long.parseLong(words[2]);
    long mask = (span - 1) & -Math.min(bytes, 4096L);
    long count = Long.parseLong(words[3]);
    MemorySegment into = local.asSlice(0, bytes);
    long start = System.nanoTime();
    for (long left = count; left > 0; left -= CHUNK) {
      int n = (int) Math.min(left, CHUNK);
      switch (words[0]) {
        case "load" -> load(mask, n);
        case "read" -> read(into, mask, span - bytes, n);
        case "copy" -> copy(into, mask, span - bytes, n);
        case "get" -> get(into.asByteBuffer(), mask, span - bytes, n);
        default -> throw new IOException("There is no way to read called " + words[0]);
      }
    }
    return System.nanoTime() - start;
  }

  private static long next(long place, long word) {
    return ((place ^ word) * STEP) >>> 8;
  }

  /** Words by plain loads: the same mapping, the same checks of the JVM, and nothing of ours. */
  private void load(long mask, int count) {
    long at = place;
    for (int i = 0; i < count; i++) {
      at = next(at, direct.get(WORD, at & mask));
    }
    place = at;
  }

  /** Through a queue; a word or a piece. */
  private void read(MemorySegment into, long mask, long last, int count) throws IOException {
    long at = place;
    for (int i = 0; i < count; i++) {
      queue.read(region, Math.min(at & mask, last), into, i);
      queue.submit();
      if (queue.poll(tickets, statuses) != 1 || statuses[0] != Status.OK) {
        throw new IOException("The region is " + statuses[0]);
      }
      at = next(at, into.get(WORD, 0));
    }
    place = at;
  }

  /** Pieces by {@link MemorySegment#copy}: memcpy over the same mapping. */
  private void copy(MemorySegment into, long mask, long last, int count) {
    long at = place;
    for (int i = 0; i < count; i++) {
      MemorySegment.copy(direct, Math.min(at & mask, last), into, 0, into.byteSize());
      at = next(at, into.get(WORD, 0));
    }
    place = at;
  }

  /** Over the stream: the owner's processor copies, and two threads wake each other. */
  private void get(ByteBuffer into, long mask, long last, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      request.clear().putLong(Math.min(place & mask, last)).putInt(into.capacity()).flip();
      while (request.hasRemaining()) {
        stream.write(request);
      }
      into.clear();
      while (into.hasRemaining()) {
        if (stream.read(into) < 0) {
          throw new IOException("The owner has gone");
        }
      }
      place = next(place, local.get(WORD, 0));
    }
  }
}
