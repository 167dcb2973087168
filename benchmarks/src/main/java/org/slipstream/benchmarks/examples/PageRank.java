package org.slipstream.benchmarks.examples;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * PageRank of an R-MAT graph in several processes: each has a range of vertices, adds up what its
 * vertices give to each vertex of another process, and sends it these sums in every superstep, as
 * mailbox writes. Which vertex a sum is for is agreed upon once.
 */
final class PageRank implements Program {
  static final int SUPERSTEPS = 32;
  private static final double DAMPING = 0.85;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

  private final Exchange exchange;
  private final int vertices;
  private final long seed;

  /** The first of this process's vertices, and the one behind the last. */
  private final int begin;

  private final int end;
  private final int[] degree;

  /** For each process, which of its vertices get something from ours, each once. */
  private final int[][] targets;

  /** The edges to them: those of target i begin at starts[i]. */
  private final int[][] starts;

  private final int[][] sources;

  /** For each process, which of our vertices get something from its. */
  private final int[][] received;

  private final double[] rank;
  private final double[] share;

  /** What two processes may send each other: a sum for each vertex, and what is left over. */
  static long capacity(int verticesOfOne) {
    return Double.BYTES * (verticesOfOne + 1L);
  }

  /** Makes the graph; all processes at once, because they tell each other what they send. */
  PageRank(Exchange exchange, int verticesOfOne, long seed) throws IOException {
    int workers = exchange.workers();
    this.exchange = exchange;
    this.vertices = verticesOfOne * workers;
    this.seed = seed;
    this.begin = verticesOfOne * exchange.index();
    this.end = begin + verticesOfOne;
    this.degree = new int[verticesOfOne];
    this.targets = new int[workers][];
    this.starts = new int[workers][];
    this.sources = new int[workers][];
    this.received = new int[workers][];
    this.rank = new double[verticesOfOne];
    this.share = new double[verticesOfOne];
    long[] edges = ownEdges();
    for (int to = 0; to < workers; to++) {
      group(edges, to, verticesOfOne);
    }
    agree();
  }

  /** Those that begin here, sorted by their targets. */
  private long[] ownEdges() {
    long[][] edges = {new long[(end - begin) * Rmat.EDGES_PER_VERTEX]};
    int[] count = {0};
    Rmat.generate(
        vertices,
        seed,
        edge -> {
          int from = (int) edge;
          if (from >= begin && from < end) {
            if (count[0] == edges[0].length) {
              edges[0] = Arrays.copyOf(edges[0], 2 * count[0]);
            }
            edges[0][count[0]++] = edge;
            degree[from - begin]++;
          }
        });
    long[] own = Arrays.copyOf(edges[0], count[0]);
    Arrays.sort(own);
    return own;
  }

  private void group(long[] edges, int to, int verticesOfOne) {
    long low = (long) to * verticesOfOne;
    int[] ids = new int[verticesOfOne];
    int[] begins = new int[verticesOfOne + 1];
    int[] froms = new int[edges.length];
    int found = 0;
    int n = 0;
    for (long edge : edges) {
      int target = (int) (edge >>> Integer.SIZE);
      if (target >= low && target < low + verticesOfOne) {
        if (found == 0 || ids[found - 1] != target) {
          ids[found] = target;
          begins[found] = n;
          found++;
        }
        froms[n++] = (int) edge - begin;
      }
    }
    begins[found] = n;
    targets[to] = Arrays.copyOf(ids, found);
    starts[to] = Arrays.copyOf(begins, found + 1);
    sources[to] = Arrays.copyOf(froms, n);
  }

  /** Each learns which of its vertices the others' sums are for. */
  private void agree() throws IOException {
    long[] bytes = new long[targets.length];
    for (int to = 0; to < targets.length; to++) {
      MemorySegment out = exchange.outgoing(to);
      for (int i = 0; i < targets[to].length; i++) {
        out.setAtIndex(INT, i, targets[to][i]);
      }
      bytes[to] = (long) targets[to].length * Integer.BYTES;
    }
    exchange.exchange(bytes);
    for (int from = 0; from < targets.length; from++) {
      received[from] = exchange.incoming(from).toArray(INT);
    }
  }

  @Override
  public void run() throws IOException {
    Arrays.fill(rank, 1.0 / vertices);
    long[] bytes = new long[targets.length];
    for (int step = 0; step < SUPERSTEPS; step++) {
      double unlinked = 0;
      for (int i = 0; i < rank.length; i++) {
        if (degree[i] == 0) {
          unlinked += rank[i];
        } else {
          share[i] = rank[i] / degree[i];
        }
      }
      for (int to = 0; to < targets.length; to++) {
        addUp(to, exchange.outgoing(to));
        exchange.outgoing(to).set(DOUBLE, 0, unlinked);
        bytes[to] = Double.BYTES * (targets[to].length + 1L);
      }
      exchange.exchange(bytes);
      collect();
    }
  }

  private void addUp(int to, MemorySegment out) {
    int[] begins = starts[to];
    int[] froms = sources[to];
    for (int i = 0; i < targets[to].length; i++) {
      double sum = 0;
      for (int j = begins[i]; j < begins[i + 1]; j++) {
        sum += share[froms[j]];
      }
      out.setAtIndex(DOUBLE, i + 1, sum);
    }
  }

  /** From where the others have put it, without a copy. */
  private void collect() {
    double unlinked = 0;
    for (int from = 0; from < received.length; from++) {
      unlinked += exchange.incoming(from).get(DOUBLE, 0);
    }
    Arrays.fill(rank, (1 - DAMPING) / vertices + DAMPING * unlinked / vertices);
    for (int from = 0; from < received.length; from++) {
      MemorySegment in = exchange.incoming(from);
      int[] ids = received[from];
      for (int i = 0; i < ids.length; i++) {
        rank[ids[i] - begin] += DAMPING * in.getAtIndex(DOUBLE, i + 1);
      }
    }
  }

  /**
   * Compares the ranks with those that one process computes for the whole graph.
   *
   * @return the largest difference, and the sum of the ranks of this process
   */
  @Override
  public String check() {
    int[] degrees = new int[vertices];
    long[] edges = new long[vertices * Rmat.EDGES_PER_VERTEX];
    int[] count = {0};
    Rmat.generate(
        vertices,
        seed,
        edge -> {
          degrees[(int) edge]++;
          edges[count[0]++] = edge;
        });
    double[] now = new double[vertices];
    Arrays.fill(now, 1.0 / vertices);
    for (int step = 0; step < SUPERSTEPS; step++) {
      now = reference(now, degrees, edges);
    }
    double worst = 0;
    double sum = 0;
    for (int i = 0; i < rank.length; i++) {
      worst = Math.max(worst, Math.abs(rank[i] - now[begin + i]));
      sum += rank[i];
    }
    return worst + " " + sum;
  }

  private double[] reference(double[] now, int[] degrees, long[] edges) {
    double unlinked = 0;
    for (int i = 0; i < vertices; i++) {
      unlinked += degrees[i] == 0 ? now[i] : 0;
    }
    double[] next = new double[vertices];
    Arrays.fill(next, (1 - DAMPING + DAMPING * unlinked) / vertices);
    for (long edge : edges) {
      next[(int) (edge >>> Integer.SIZE)] += DAMPING * now[(int) edge] / degrees[(int) edge];
    }
    return next;
  }
}
