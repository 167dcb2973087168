package org.slipstream.servers.spark;

import java.util.Arrays;
import java.util.SplittableRandom;

/** The edges of a seeded R-MAT graph, part by part, and the ranks that must come of it. */
final class Edges {
  static final int PARTS = 4;

  private static final int SEED = 20;
  private static final int EDGES_OF_A_VERTEX = 8;

  /** Of a quadrant; the last one has the rest. */
  private static final double[] QUADRANTS = {0.57, 0.19, 0.19};

  private static final double DAMPING = 0.85;

  private Edges() {}

  static long count(int scale) {
    return (long) EDGES_OF_A_VERTEX << scale;
  }

  /** Each as its two vertices: from in the upper half, to in the lower one. */
  static long[] part(int scale, int part) {
    SplittableRandom random = new SplittableRandom(SEED + part);
    long[] edges = new long[(int) (count(scale) / PARTS)];
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
    return edges;
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
  static double[] ranks(int scale, int steps) {
    int vertices = 1 << scale;
    int[] outgoing = new int[vertices];
    boolean[] there = new boolean[vertices];
    long[][] parts = new long[PARTS][];
    for (int i = 0; i < PARTS; i++) {
      parts[i] = part(scale, i);
      for (long edge : parts[i]) {
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
