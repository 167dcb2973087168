package org.slipstream.benchmarks.examples;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * One process of a program: {@code sort|pagerank memory|sockets DIRECTORY INDEX WORKERS SIZE SEED}.
 * Says {@code ready ADDRESS}; is told {@code peers ADDRESS...} and says {@code made}; each {@code
 * run} is answered by {@code result NANOS}, and {@code check} by {@code checked WORDS}.
 */
public final class Worker {
  private Worker() {}

  /** Runs it until its input says {@code quit} or ends. */
  public static void main(String[] args) throws IOException, InterruptedException {
    boolean sorts = args[0].equals("sort");
    int index = Integer.parseInt(args[3]);
    int workers = Integer.parseInt(args[4]);
    int size = Integer.parseInt(args[5]);
    long seed = Long.parseLong(args[6]);
    long capacity = sorts ? Sort.capacity(size, workers) : PageRank.capacity(size);
    try (Exchange exchange =
            args[1].equals("memory")
                ? new MemoryExchange(Path.of(args[2]), index, workers, capacity)
                : new SocketExchange(index, workers, capacity);
        BufferedReader in =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
      System.out.println("ready " + exchange.address());
      List<String> peers = Arrays.asList(String.valueOf(in.readLine()).split(" ", -1));
      exchange.connect(peers.subList(1, peers.size()));
      Program program = sorts ? new Sort(exchange, size, seed) : new PageRank(exchange, size, seed);
      System.out.println("made");
      serve(program, in);
    }
  }

  private static void serve(Program program, BufferedReader in) throws IOException {
    for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
      if (line.equals("check")) {
        System.out.println("checked " + program.check());
      } else {
        long start = System.nanoTime();
        program.run();
        System.out.println("result " + (System.nanoTime() - start));
      }
    }
  }
}
