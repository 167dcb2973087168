package org.slipstream.servers.hadoop;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slipstream.servers.Loop;

/** Writes a file and reads it back, again and again, as TestDFSIO does, and compares every byte. */
public final class HdfsLoad {
  private static final int CHUNK = 1 << 20;

  private HdfsLoad() {}

  /**
   * {@code MEGABYTES-OF-A-FILE}.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
    int megabytes = Integer.parseInt(args[0]);
    byte[] chunk = new byte[CHUNK];
    byte[] back = new byte[CHUNK];
    AtomicInteger seed = new AtomicInteger();
    try (FileSystem hdfs = FileSystem.get(new Configuration())) {
      Loop.serve(
          2.0 * megabytes,
          () -> {
            Path path = new Path("/load/" + seed.incrementAndGet());
            Random random = new Random(seed.get());
            try (OutputStream out = hdfs.create(path)) {
              for (int i = 0; i < megabytes; i++) {
                random.nextBytes(chunk);
                out.write(chunk);
              }
            }
            random.setSeed(seed.get());
            try (InputStream in = hdfs.open(path)) {
              for (int i = 0; i < megabytes; i++) {
                random.nextBytes(chunk);
                if (in.readNBytes(back, 0, CHUNK) != CHUNK || !Arrays.equals(chunk, back)) {
                  throw new IllegalStateException("other bytes came back from " + path);
                }
              }
            }
            hdfs.delete(path, false);
          });
    }
  }
}
