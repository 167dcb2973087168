package org.slipstream.it.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slipstream.memory.Domain;
import org.slipstream.memory.Grant;
import org.slipstream.memory.MappingException;
import org.slipstream.memory.Owner;
import org.slipstream.memory.Queue;
import org.slipstream.memory.Region;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Right;
import org.slipstream.memory.Status;

/**
 * A program with a domain that does what its standard input says, in the words of {@link
 * PeerProgram}. Its argument is the runtime directory.
 */
public final class MemoryProgram {
  private final Domain domain;
  private final Map<String, Region> regions = new ConcurrentHashMap<>();
  private final Map<String, RemoteRegion> mapped = new ConcurrentHashMap<>();

  private MemoryProgram(Domain domain) {
    this.domain = domain;
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
    } catch (Exception | LinkageError | InternalError e) {
      return "error " + e;
    }
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
      case "threads" -> {
        return String.join(
            ",",
            Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> !name.startsWith("command-"))
                .sorted()
                .toList());
      }
      case "exit" -> System.exit(0);
      default -> throw new IllegalArgumentException(command);
    }
    return "";
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

  private void churn(Owner owner, String name, long times) throws Exception {
    for (long i = 0; i < times; i++) {
      domain.map(owner, name).close();
    }
  }
}
