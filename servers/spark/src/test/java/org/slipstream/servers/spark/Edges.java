package org.slipstream.servers.spark;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The edges of a graph, part by part, and the ranks that must come of it. A number is the scale of
 * a seeded R-MAT graph; anything else is a file that {@code ./slipstream memory pagerank --graph}
 * wrote: source(4) target(4) of each edge, big-endian.
 */
final class Edges {
  static final int PARTS = 4;

  private static final int SEED = 20;
  private static final int EDGES_OF_A_VERTEX = 8;

  /** Of a quadrant; the last one has the rest. */
  private static final double[] QUADRANTS = {0.57, 0.19, 0.19};

  private static final double DAMPING = 0.85;

  private Edges() {}

  private static boolean isScale(String graph) {
    return graph.matches("\\d+");
  }

  static long count(String graph) throws IOException {
    return isScale(graph)
        ? (long) EDGES_OF_A_VERTEX << Integer.parseInt(graph)
        : Files.size(Path.of(graph)) / Long.BYTES;
  }

  /** Each as its two vertices: from in the upper half, to in the lower one. */
  static long[] part(String graph, int part) throws IOException {
    long count = count(graph);
    long first = count * part / PARTS;
    long[] edges = new long[(int) (count * (part + 1) / PARTS - first)];
    if (isScale(graph)) {
      make(Integer.parseInt(graph), part, edges);
    } else {
      try (FileChannel file = FileChannel.open(Path.of(graph))) {
        file.map(MapMode.READ_ONLY, first * Long.BYTES, (long) edges.length * Long.BYTES)
            .asLongBuffer()
            .get(edges);
      }
    }
    return edges;
  }

  private static void make(int scale, int part, long[] edges) {
    SplittableRandom random = new SplittableRandom(SEED + part);
    for (int edge = 0; edge < edges.length; edge++) {
      long from = 0;
      long to = 0;
      for (int bit = 0; bit < scale; bit++) {
        int quadrant = quadrant(random.nextDouble());
        from = (from << 1) | (quadrant >> 1);
        to = (to << 1) | (quadrant & 1);
      }
      edges[edge] = (from << 32) | to;
    }
  }

  static int from(long edge) {
    return (int) (edge >>> 32);
  }

  static int to(long edge) {
    return (int) edge;
  }

  private static int quadrant(double chance) {
    int quadrant = 0;
    double left = chance;
    while (quadrant < QUADRANTS.length && left >= QUADRANTS[quadrant]) {
      left -= QUADRANTS[quadrant++];
    }
    return quadrant;
  }

  /**
   * Ranks of all vertices that have an edge, 0 of the others; their sum is the number of those that
   * have one, as GraphX has it.
   */
  static double[] ranks(String graph, int steps) throws IOException {
    long[][] parts = new long[PARTS][];
    int vertices = 0;
    for (int i = 0; i < PARTS; i++) {
      parts[i] = part(graph, i);
      for (long edge : parts[i]) {
        vertices = Math.max(vertices, 1 + Math.max(from(edge), to(edge)));
      }
    }
    int[] outgoing = new int[vertices];
    boolean[] there = new boolean[vertices];
    for (long[] part : parts) {
      for (long edge : part) {
        outgoing[from(edge)]++;
        there[from(edge)] = true;
        there[to(edge)] = true;
      }
    }
    double[] ranks = new double[vertices];
    Arrays.fill(ranks, 1);
    for (int step = 0; step < steps; step++) {
      double[] sums = new double[vertices];
      for (long[] part : parts) {
        for (long edge : part) {
          sums[to(edge)] += ranks[from(edge)] / outgoing[from(edge)];
        }
      }
      Arrays.setAll(ranks, vertex -> 1 - DAMPING + DAMPING * sums[vertex]);
    }
    double sum = 0;
    double count = 0;
    for (int vertex = 0; vertex < vertices; vertex++) {
      ranks[vertex] = there[vertex] ? ranks[vertex] : 0;
      sum += ranks[vertex];
      count += there[vertex] ? 1 : 0;
    }
    double scaled = count / sum;
    return Arrays.stream(ranks).map(rank -> rank * scaled).toArray();
  }
}
