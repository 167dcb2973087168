package org.slipstream.servers.hadoop;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slipstream.servers.Latencies;

/** Writes files and reads them back, as TestDFSIO does, and compares every byte. */
public final class HdfsLoad {
  private static final int CHUNK = 1 << 20;

  private HdfsLoad() {}

  /**
   * {@code FILES MEGABYTES-EACH}.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
    int files = Integer.parseInt(args[0]);
    int megabytes = Integer.parseInt(args[1]);
    byte[] chunk = new byte[CHUNK];
    byte[] back = new byte[CHUNK];
    Latencies latencies = new Latencies(2 * files * megabytes);
    try (FileSystem hdfs = FileSystem.get(new Configuration())) {
      long start = System.nanoTime();
      for (int file = 0; file < files; file++) {
        Random random = new Random(file);
        try (OutputStream out = hdfs.create(new Path("/load/" + file))) {
          for (int i = 0; i < megabytes; i++) {
            random.nextBytes(chunk);
            long began = System.nanoTime();
            out.write(chunk);
            latencies.ended(began);
          }
        }
      }
      for (int file = 0; file < files; file++) {
        Random random = new Random(file);
        try (InputStream in = hdfs.open(new Path("/load/" + file))) {
          for (int i = 0; i < megabytes; i++) {
            random.nextBytes(chunk);
            long began = System.nanoTime();
            int n = in.readNBytes(back, 0, CHUNK);
            latencies.ended(began);
            if (n != CHUNK || !Arrays.equals(chunk, back)) {
              throw new IllegalStateException("other bytes came back from file " + file);
            }
          }
        }
      }
      latencies.say(start, 2.0 * files * megabytes);
    }
  }
}
