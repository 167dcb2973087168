package org.slipstream.benchmarks.memory;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.slipstream.memory.Domain;
import org.slipstream.memory.MemoryServers;
import org.slipstream.memory.StripedRegion;

/**
 * {@code DIRECTORY}: reserves from the memory servers that run there, and gives back. A line {@code
 * cold BYTES COUNT} or {@code again BYTES COUNT} is answered by {@code result NANOS}, the time of
 * so many reservations, without that of giving back.
 *
 * <p>Cold: nothing is kept of what was closed, so servers are asked and their memory is mapped; the
 * sessions with them are there, as in a process that reserves now and then. Again: what was closed
 * is kept.
 */
public final class MemoryReserver {
  private MemoryReserver() {}

  /** Says {@code ready} when it can be asked. */
  public static void main(String[] args) throws IOException, InterruptedException {
    try (Domain domain = Domain.open(Path.of(args[0]));
        MemoryServers cold = new MemoryServers(domain, 0);
        MemoryServers again = new MemoryServers(domain, Long.MAX_VALUE);
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
      System.out.println("ready");
      for (String line = in.readLine();
          line != null && !line.equals("quit");
          line = in.readLine()) {
        String[] words = line.split(" ", -1);
        long bytes = Long.parseLong(words[1]);
        int count = Integer.parseInt(words[2]);
        if (words[0].equals("again")) {
          again.reserve(bytes).close(); // so that there is something to keep
        }
        System.out.println("result " + time(words[0].equals("again") ? again : cold, bytes, count));
        again.trim();
      }
    }
  }

  private static long time(MemoryServers servers, long bytes, int count)
      throws IOException, InterruptedException {
    long passed = 0;
    for (int i = 0; i < count; i++) {
      long start = System.nanoTime();
      StripedRegion region = servers.reserve(bytes);
      passed += System.nanoTime() - start;
      region.close();
    }
    return passed;
  }
}
