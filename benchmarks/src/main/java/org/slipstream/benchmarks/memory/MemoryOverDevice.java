package org.slipstream.benchmarks.memory;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import org.slipstream.memory.Domain;
import org.slipstream.memory.MappingException;
import org.slipstream.memory.Owner;
import org.slipstream.memory.Queue;
import org.slipstream.memory.Region;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Right;
import org.slipstream.memory.Status;

/**
 * {@code own HOST PORT}: exports a region, until its input ends. {@code use HOST PORT}: maps it. A
 * line {@code KIND BYTES DEPTH COUNT} is answered by {@code result NANOS}, the time of so many
 * operations, {@code read}, {@code write} or {@code add}, of which DEPTH are under way at once.
 *
 * <p>Which medium it is, system properties say: {@code slipstream.transports}, {@code
 * slipstream.key}.
 */
public final class MemoryOverDevice {
  private static final String REGION = "bench";
  private static final int REGION_BYTES = 16 << 20;
  private static final int MOST_BYTES = 1 << 20;
  private static final int MOST_DEPTH = 16;
  private static final int TRIES = 5;

  private enum Kind {
    READ,
    WRITE,
    ADD;

    static Kind of(String word) throws IOException {
      return switch (word) {
        case "read" -> READ;
        case "write" -> WRITE;
        case "add" -> ADD;
        default -> throw new IOException("There is no operation called " + word);
      };
    }
  }

  private final RemoteRegion region;
  private final Queue queue;
  private final long[] tickets = new long[MOST_DEPTH];
  private final Status[] statuses = new Status[MOST_DEPTH];
  private final MemorySegment local = Arena.global().allocate(MOST_BYTES, 64);

  // What is being timed.
  private Kind kind = Kind.READ;
  private MemorySegment piece = local;
  private int depth;
  private long count;
  private long posted;
  private long ended;

  private MemoryOverDevice(RemoteRegion region, Queue queue) {
    this.region = region;
    this.queue = queue;
  }

  /** Says {@code ready} when it can be used, or asked. */
  public static void main(String[] args) throws IOException, InterruptedException {
    InetSocketAddress address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
    try (Domain domain = Domain.open()) {
      if (args[0].equals("own")) {
        own(domain, address);
      } else {
        use(domain, address);
      }
    }
  }

  private static void own(Domain domain, InetSocketAddress address) throws IOException {
    try (Region _ = domain.export(REGION, REGION_BYTES, EnumSet.allOf(Right.class));
        var _ = domain.announce(address)) {
      System.out.println("ready");
      while (System.in.read() >= 0) {
        // Whatever the driver says, it means the end only when it says no more.
      }
    }
  }

  private static void use(Domain domain, InetSocketAddress address)
      throws IOException, InterruptedException {
    try (RemoteRegion region = map(domain, Owner.at(address));
        Queue queue = domain.queue(MOST_DEPTH)) {
      MemoryOverDevice device = new MemoryOverDevice(region, queue);
      System.out.println("ready");
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
      for (String line = in.readLine();
          line != null && !line.equals("quit");
          line = in.readLine()) {
        System.out.println("result " + device.run(line.split(" ", -1)));
      }
    }
  }

  /** An emulated machine may take longer to load the libraries than an owner is waited for. */
  private static RemoteRegion map(Domain domain, Owner owner)
      throws IOException, InterruptedException {
    for (int tries = 1; ; tries++) {
      try {
        return domain.map(owner, REGION);
      } catch (MappingException e) {
        if (tries == TRIES || e.reason() != MappingException.Reason.NO_ANSWER) {
          throw e;
        }
      }
    }
  }

  private long run(String[] words) throws IOException {
    kind = Kind.of(words[0]);
    piece = local.asSlice(0, Integer.parseInt(words[1]));
    depth = Integer.parseInt(words[2]);
    count = Long.parseLong(words[3]);
    posted = 0;
    ended = 0;
    long start = System.nanoTime();
    while (ended < count) {
      step();
    }
    return System.nanoTime() - start;
  }

  /** Posts and polls once. The compiler looks at methods that are called often, not at one loop. */
  private void step() throws IOException {
    long before = posted;
    while (posted < count && posted - ended < depth && post(posted)) {
      posted++;
    }
    if (posted > before) {
      queue.submit();
    }
    int n = queue.poll(tickets, statuses);
    for (int i = 0; i < n; i++) {
      if (statuses[i] != Status.OK) {
        throw new IOException("The region is " + statuses[i]);
      }
    }
    ended += n;
  }

  private boolean post(long n) {
    long at = n * piece.byteSize() & (REGION_BYTES - 1);
    return switch (kind) {
      case READ -> queue.read(region, at, piece, n);
      case WRITE -> queue.write(region, at, piece, n);
      case ADD -> queue.fetchAdd(region, 0, 1, piece, n);
    };
  }
}
