package org.slipstream.servers.pekko;

import java.util.Arrays;
import java.util.SplittableRandom;

/** A seeded R-MAT graph, and the ranks of its vertices; the same in every process. */
final class Graph {
  /** Rounds of the algorithm, as in the paper. */
  static final int STEPS = 32;

  private static final int SEED = 20;
  private static final int EDGES_OF_A_VERTEX = 8;

  /** Of a quadrant; the last one has the rest. */
  private static final double[] QUADRANTS = {0.57, 0.19, 0.19};

  private static final double DAMPING = 0.85;

  private final int[][] out;
  private final int[] incoming;
  private final int edges;

  private Graph(int[][] out, int[] incoming, int edges) {
    this.out = out;
    this.incoming = incoming;
    this.edges = edges;
  }

  /** Of two to the power of {@code scale} vertices; it may have edges twice, and loops. */
  static Graph ofScale(int scale) {
    int vertices = 1 << scale;
    int edges = EDGES_OF_A_VERTEX * vertices;
    SplittableRandom random = new SplittableRandom(SEED);
    int[] from = new int[edges];
    int[] to = new int[edges];
    int[] outgoing = new int[vertices];
    int[] incoming = new int[vertices];
    for (int edge = 0; edge < edges; edge++) {
      for (int bit = 0; bit < scale; bit++) {
        int quadrant = quadrant(random.nextDouble());
        from[edge] = (from[edge] << 1) | (quadrant >> 1);
        to[edge] = (to[edge] << 1) | (quadrant & 1);
      }
      outgoing[from[edge]]++;
      incoming[to[edge]]++;
    }
    int[][] out = new int[vertices][];
    Arrays.setAll(out, vertex -> new int[outgoing[vertex]]);
    for (int edge = 0; edge < edges; edge++) {
      out[from[edge]][--outgoing[from[edge]]] = to[edge];
    }
    return new Graph(out, incoming, edges);
  }

  private static int quadrant(double chance) {
    int quadrant = 0;
    double left = chance;
    while (quadrant < QUADRANTS.length && left >= QUADRANTS[quadrant]) {
      left -= QUADRANTS[quadrant++];
    }
    return quadrant;
  }

  int vertices() {
    return out.length;
  }

  int edges() {
    return edges;
  }

  int[] out(int vertex) {
    return out[vertex];
  }

  int incoming(int vertex) {
    return incoming[vertex];
  }

  /** What a vertex gives to each of its neighbours. */
  double share(int vertex, double rank) {
    return rank / out[vertex].length;
  }

  static double rank(double sum) {
    return 1 - DAMPING + DAMPING * sum;
  }

  /** All ranks, computed here. */
  double[] ranks() {
    double[] ranks = new double[vertices()];
    Arrays.fill(ranks, 1);
    for (int step = 0; step < STEPS; step++) {
      double[] sums = new double[vertices()];
      for (int vertex = 0; vertex < vertices(); vertex++) {
        for (int neighbour : out[vertex]) {
          sums[neighbour] += share(vertex, ranks[vertex]);
        }
      }
      ranks = Arrays.stream(sums).map(Graph::rank).toArray();
    }
    return ranks;
  }
}
