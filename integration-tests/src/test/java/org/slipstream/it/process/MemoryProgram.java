package org.slipstream.it.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slipstream.memory.Domain;
import org.slipstream.memory.Grant;
import org.slipstream.memory.MappingException;
import org.slipstream.memory.MemoryServer;
import org.slipstream.memory.MemoryServers;
import org.slipstream.memory.Owner;
import org.slipstream.memory.Queue;
import org.slipstream.memory.Region;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Right;
import org.slipstream.memory.Status;
import org.slipstream.memory.StripedQueue;
import org.slipstream.memory.StripedRegion;
import org.slipstream.memory.zookeeper.ZooKeeperDirectory;

/**
 * A program with a domain that does what its standard input says, in the words of {@link
 * PeerProgram}. Its argument is the runtime directory.
 */
public final class MemoryProgram {
  private static final String POOR = "poor";

  private final Domain domain;
  private final Map<String, Region> regions = new ConcurrentHashMap<>();
  private final Map<String, RemoteRegion> mapped = new ConcurrentHashMap<>();

  private final Map<String, StripedRegion> reserved = new ConcurrentHashMap<>();

  /** Written by the constructor, and by the command that names a directory. */
  private volatile MemoryServers servers;

  /** Written by the command that opens it. */
  private volatile MemoryServer server;

  private MemoryProgram(Domain domain) {
    this.domain = domain;
    this.servers = new MemoryServers(domain, 0);
  }

  /**
   * Reads commands.
   *
   * @param args the runtime directory
   * @throws IOException without an input, or a domain
   */
  public static void main(String[] args) throws IOException {
    MemoryProgram program = new MemoryProgram(Domain.open(Path.of(args[0])));
    System.out.println("@0 ready");
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line;
    while ((line = lines.readLine()) != null) {
      String[] words = line.split(" ", -1);
      Thread.ofPlatform()
          .daemon()
          .name("command-" + line)
          .start(() -> System.out.println("@" + words[0] + " " + program.answer(words)));
    }
  }

  private String answer(String[] words) {
    try {
      String said = run(words[1], words);
      return said.isEmpty() ? "ok" : "ok " + said;
    } catch (MappingException e) {
      return "refused " + e.reason();
    } catch (Exception | LinkageError | InternalError | OutOfMemoryError e) {
      return "error " + e;
    }
  }

  /** Runs a command, of which some allocations fail; says how many, and what it would say. */
  private String runPoor(String[] w) {
    Thread.currentThread().setName(POOR);
    String[] command =
        Stream.concat(Stream.of(w[0]), Arrays.stream(w).skip(4)).toArray(String[]::new);
    ShortHeap.begin(POOR, (int) number(w[2]), (int) number(w[3]));
    String said = answer(command);
    return ShortHeap.end() + " " + said;
  }

  private String run(String command, String[] w) throws Exception {
    switch (command) {
      case "export" -> regions.put(w[2], domain.export(w[2], Long.parseLong(w[3]), rights(w[4])));
      case "set" -> regions.get(w[2]).memory().setAtIndex(ValueLayout.JAVA_LONG, 0, number(w[3]));
      case "get" -> {
        return "" + regions.get(w[2]).memory().getAtIndex(ValueLayout.JAVA_LONG, 0);
      }
      case "grant" -> {
        return regions.get(w[2]).grant(rights(w[3])).encode();
      }
      case "revoke" -> {
        return "" + regions.get(w[2]).revokeAll(Duration.ofMillis(number(w[3])));
      }
      case "mappings" -> {
        return "" + regions.get(w[2]).mappings();
      }
      case "unexport" -> regions.remove(w[2]).close();
      case "map" -> mapped.put(w[2], domain.map(Owner.process(number(w[3])), w[4]));
      case "announce" -> domain.announce(address(w[2], w[3])); // until it ends
      case "mapAt" -> mapped.put(w[2], domain.map(Owner.at(address(w[3], w[4])), w[5]));
      case "mapGranted" -> mapped.put(w[2], domain.map(Grant.decode(w[3])));
      case "unmap" -> mapped.remove(w[2]).close();
      case "status" -> {
        return "" + mapped.get(w[2]).status();
      }
      case "read" -> {
        return read(mapped.get(w[2]));
      }
      case "write" -> {
        return write(mapped.get(w[2]), number(w[3]));
      }
      case "work" -> {
        return work(mapped.get(w[2]), (int) number(w[3]));
      }
      case "load" -> {
        return load(mapped.get(w[2]).direct().orElseThrow());
      }
      case "churn" -> churn(Owner.process(number(w[2])), w[3], number(w[4]));
      case "churnGrants" -> churnGrants(regions.get(w[2]), number(w[3]));
      case "heap" -> {
        System.gc();
        System.gc(); // what finalizing has let go
        return "" + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      }
      case "threads" -> {
        return String.join(
            ",",
            Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> !name.startsWith("command-"))
                .sorted()
                .toList());
      }
      case "poor" -> {
        return runPoor(w);
      }
      case "failAllocations" -> ShortHeap.begin(w[2], (int) number(w[3]), (int) number(w[4]));
      case "endFailures" -> {
        return "" + ShortHeap.end();
      }
      case "exit" -> System.exit(0);
      default -> {
        return runOnServers(command, w);
      }
    }
    return "";
  }

  /** What memory servers and their clients do. */
  private String runOnServers(String command, String[] w) throws Exception {
    switch (command) {
      case "serve" -> {
        MemoryServer lending = MemoryServer.open(domain, number(w[2]), number(w[3]), n -> {});
        server = lending;
        return "" + lending.chunks();
      }
      case "directory" -> // where, and the seconds of a session
          servers =
              new MemoryServers(
                  domain, ZooKeeperDirectory.connect(w[2], Duration.ofSeconds(number(w[3]))), 0);
      case "keep" -> servers = new MemoryServers(domain, number(w[2]));
      case "trim" -> servers.trim();
      case "free" -> {
        return "" + server.freeChunks();
      }
      case "reserve" -> // a name of - is none
          reserved.put(
              w[2],
              w[3].equals("-")
                  ? servers.reserve(number(w[4]))
                  : servers.reserve(w[3], number(w[4]), rights("rwa")));
      case "mapReserved" -> reserved.put(w[2], servers.map(w[3]));
      case "release" -> reserved.remove(w[2]).close();
      case "statusOfReserved" -> {
        return "" + reserved.get(w[2]).status();
      }
      case "fill" -> {
        return fill(reserved.get(w[2]), number(w[3]));
      }
      case "sum" -> {
        return sum(reserved.get(w[2]));
      }
      case "workOnReserved" -> {
        return workOnReserved(reserved.get(w[2]));
      }
      case "churnReserved" -> churnReserved(w[2], number(w[3]), number(w[4]));
      default -> throw new IllegalArgumentException(command);
    }
    return "";
  }

  private static InetSocketAddress address(String host, String port) {
    return new InetSocketAddress(host, Integer.parseInt(port));
  }

  private static long number(String word) {
    return Long.parseLong(word);
  }

  /** {@code rwa}; a hyphen is none. */
  private static Set<Right> rights(String letters) {
    Set<Right> rights = EnumSet.noneOf(Right.class);
    for (Right right : Right.values()) {
      if (letters.indexOf(Character.toLowerCase(right.name().charAt(0))) >= 0) {
        rights.add(right);
      }
    }
    return rights;
  }

  private static Status outcome(Queue queue, boolean posted) {
    if (!posted) {
      throw new AssertionError("the queue is full");
    }
    queue.submit();
    Status[] status = new Status[1];
    while (queue.poll(new long[1], status) == 0) {
      Thread.onSpinWait();
    }
    return status[0];
  }

  private String read(RemoteRegion region) {
    Queue queue = domain.queue(1);
    MemorySegment word = MemorySegment.ofArray(new long[1]);
    Status status = outcome(queue, queue.read(region, 0, word, 1));
    return status + " " + word.get(ValueLayout.JAVA_LONG, 0);
  }

  private String write(RemoteRegion region, long value) {
    Queue queue = domain.queue(1);
    MemorySegment word = MemorySegment.ofArray(new long[] {value});
    Status status = outcome(queue, queue.write(region, 0, word, 1));
    return status + " " + queue.flush(region);
  }

  /**
   * Reads, writes and adds until the region ends; says why, and whether all before that was well.
   */
  private String work(RemoteRegion region, int bytes) {
    Queue queue = domain.queue(3);
    MemorySegment word = MemorySegment.ofArray(new long[1]);
    MemorySegment piece = MemorySegment.ofArray(new byte[bytes]);
    long[] tickets = new long[3];
    Status[] statuses = new Status[3];
    while (true) {
      queue.read(region, 0, piece, 1);
      queue.write(region, 8, piece, 2);
      queue.fetchAdd(region, 0, 1, word, 3);
      queue.submit();
      int n = queue.poll(tickets, statuses);
      for (int i = 0; i < n; i++) {
        if (statuses[i] != Status.OK) {
          return "" + statuses[i];
        }
      }
    }
  }

  /** Loads until the region ends; says by which exception. */
  private static String load(MemorySegment memory) {
    long sum = 0;
    try {
      while (true) {
        for (long at = 0; at < memory.byteSize(); at += 4096) {
          sum += memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        }
      }
    } catch (IllegalStateException | InternalError e) {
      return e.getClass().getSimpleName() + " " + (sum == 0);
    }
  }

  /** Every word of it, piece by piece. */
  private String fill(StripedRegion region, long value) {
    StripedQueue queue = new StripedQueue(domain.queue(4), 4);
    MemorySegment piece = MemorySegment.ofArray(new long[512]);
    for (int i = 0; i < 512; i++) {
      piece.setAtIndex(ValueLayout.JAVA_LONG, i, value);
    }
    Status worst = Status.OK;
    for (long at = 0; at < region.byteSize() && worst == Status.OK; at += piece.byteSize()) {
      worst = outcome(queue, queue.write(region, at, piece, 1));
    }
    return worst + " " + queue.flush(region);
  }

  private String sum(StripedRegion region) {
    StripedQueue queue = new StripedQueue(domain.queue(4), 4);
    MemorySegment piece = MemorySegment.ofArray(new long[512]);
    long sum = 0;
    for (long at = 0; at < region.byteSize(); at += piece.byteSize()) {
      Status status = outcome(queue, queue.read(region, at, piece, 1));
      if (status != Status.OK) {
        return "" + status;
      }
      for (int i = 0; i < 512; i++) {
        sum += piece.getAtIndex(ValueLayout.JAVA_LONG, i);
      }
    }
    return "" + sum;
  }

  private static Status outcome(StripedQueue queue, boolean posted) {
    if (!posted) {
      throw new AssertionError("the queue is full");
    }
    queue.submit();
    Status[] status = new Status[1];
    while (queue.poll(new long[1], status) == 0) {
      Thread.onSpinWait();
    }
    return status[0];
  }

  /** Adds and reads all over it until it ends; says why. */
  private String workOnReserved(StripedRegion region) {
    StripedQueue queue = new StripedQueue(domain.queue(4), 4);
    MemorySegment word = MemorySegment.ofArray(new long[1]);
    while (true) {
      for (long at = 0; at < region.byteSize(); at += 4096) {
        Status status = outcome(queue, queue.fetchAdd(region, at, 1, word, 1));
        if (status != Status.OK) {
          return "" + status;
        }
      }
    }
  }

  /** Reserves and gives back, by one name or none, so many times or until a server fails. */
  private void churnReserved(String name, long bytes, long times) throws Exception {
    for (long i = 0; i < times; i++) {
      try (StripedRegion region =
          name.equals("-") ? servers.reserve(bytes) : servers.reserve(name, bytes, rights("rwa"))) {
        if (region.parts().isEmpty()) {
          throw new AssertionError("nothing was reserved");
        }
      } catch (IOException full) {
        Thread.sleep(1); // what was given back is being cleaned, or a server has ended
      }
    }
  }

  /** Makes grants and revokes each. */
  private static void churnGrants(Region region, long times) throws Exception {
    for (long i = 0; i < times; i++) {
      if (!region.revoke(region.grant(Set.of(Right.READ)), Duration.ZERO)) {
        throw new AssertionError("it was mapped");
      }
    }
  }

  private void churn(Owner owner, String name, long times) throws Exception {
    for (long i = 0; i < times; i++) {
      domain.map(owner, name).close();
    }
  }
}
