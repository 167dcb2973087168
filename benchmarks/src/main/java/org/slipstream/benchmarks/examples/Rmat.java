package org.slipstream.benchmarks.examples;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/** The edges of an R-MAT graph: what {@link PageRank} ranks, and other programs can read. */
public final class Rmat {
  /** On average. */
  public static final int EDGES_PER_VERTEX = 16;

  // The corners, as in Graph500.
  private static final double A = 0.57;
  private static final double B = 0.19;
  private static final double C = 0.19;

  /** A prime: spreads the vertices with many edges over all processes. */
  private static final long SPREAD = 2654435761L;

  private Rmat() {}

  /** All edges, as {@code target << 32 | source}; the same ones for a seed. */
  static void generate(int vertices, long seed, LongConsumer edge) {
    int levels = Integer.SIZE - Integer.numberOfLeadingZeros(vertices - 1);
    SplittableRandom random = new SplittableRandom(seed);
    for (long left = (long) vertices * EDGES_PER_VERTEX; left > 0; ) {
      int from = 0;
      int to = 0;
      for (int level = 0; level < levels; level++) {
        double corner = random.nextDouble();
        from = (from << 1) | (corner >= A + B ? 1 : 0);
        to = (to << 1) | ((corner >= A && corner < A + B) || corner >= A + B + C ? 1 : 0);
      }
      if (from < vertices && to < vertices) { // else outside, where that is no power of two
        left--;
        edge.accept(((to * SPREAD % vertices) << Integer.SIZE) | (from * SPREAD % vertices));
      }
    }
  }

  /**
   * Writes them to a file, in eight bytes each, big-endian: source(4) target(4).
   *
   * @throws IOException if that fails
   */
  public static void write(int vertices, long seed, Path file) throws IOException {
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
      generate(
          vertices,
          seed,
          edge -> {
            try {
              out.writeLong(Long.rotateLeft(edge, Integer.SIZE));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw new IOException(e);
    }
  }
}
