package org.slipstream.benchmarks.memory;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.SplittableRandom;
import org.slipstream.memory.Domain;
import org.slipstream.memory.MemoryServers;
import org.slipstream.memory.Right;
import org.slipstream.memory.Status;
import org.slipstream.memory.StripedQueue;
import org.slipstream.memory.StripedRegion;

/**
 * {@code DIRECTORY}: a client of memory servers. {@code hold BYTES} reserves memory and is answered
 * by {@code held}; {@code map} maps what another one holds, {@code mapped}; {@code read BYTES
 * SECONDS} reads so many bytes from random places until the time is up: {@code result READS NANOS}.
 */
public final class MemoryClient {
  private static final String NAME = "crowd";
  private static final int DEPTH = 16;

  /** Reads between two looks at the clock. */
  private static final int CHUNK = 64;

  private final StripedRegion region;
  private final StripedQueue queue;
  private final long[] tickets = new long[DEPTH];
  private final Status[] statuses = new Status[DEPTH];

  private MemoryClient(StripedRegion region, StripedQueue queue) {
    this.region = region;
    this.queue = queue;
  }

  /** Says {@code ready} when it can be asked. */
  public static void main(String[] args) throws IOException, InterruptedException {
    try (Domain domain = Domain.open(Path.of(args[0]));
        MemoryServers servers = new MemoryServers(domain, 0);
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
      System.out.println("ready");
      String[] first = String.valueOf(in.readLine()).split(" ", -1);
      StripedRegion region =
          first[0].equals("hold")
              ? servers.reserve(NAME, Long.parseLong(first[1]), Set.of(Right.READ))
              : servers.map(NAME);
      System.out.println(first[0].equals("hold") ? "held" : "mapped");
      MemoryClient client =
          new MemoryClient(region, new StripedQueue(domain.queue(2 * DEPTH), DEPTH));
      for (String line = in.readLine();
          line != null && !line.equals("quit");
          line = in.readLine()) {
        String[] words = line.split(" ", -1);
        client.read(Integer.parseInt(words[1]), (long) (Double.parseDouble(words[2]) * 1e9));
      }
    }
  }

  private void read(int bytes, long nanos) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment into = arena.allocate(bytes, 64);
      SplittableRandom random = new SplittableRandom();
      long places = region.byteSize() / bytes;
      long start = System.nanoTime();
      long reads = 0;
      long passed;
      do {
        for (int i = 0; i < CHUNK; i++) {
          while (!queue.read(region, random.nextLong(places) * bytes, into, reads)) {
            take();
          }
          reads++;
        }
        queue.submit();
        passed = System.nanoTime() - start;
      } while (passed < nanos);
      take();
      System.out.println("result " + reads + " " + passed);
    }
  }

  private void take() throws IOException {
    int n = queue.poll(tickets, statuses);
    for (int i = 0; i < n; i++) {
      if (statuses[i] != Status.OK) {
        throw new IOException("The memory is " + statuses[i]);
      }
    }
  }
}
