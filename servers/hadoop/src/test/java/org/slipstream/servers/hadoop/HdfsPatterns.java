package org.slipstream.servers.hadoop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.slipstream.servers.Loop;

/** Access patterns of a distributed file system: reads at an offset, and small files. */
public final class HdfsPatterns {
  private static final int FILE_BYTES = 16 << 20;
  private static final int SMALL_FILE = 1024;

  /** What a client does before the others are waited for. */
  private static final int BURST = 16;

  private final FileSystem hdfs;
  private final byte[] content = new byte[FILE_BYTES];
  private final AtomicInteger names = new AtomicInteger();

  private HdfsPatterns(FileSystem hdfs) {
    this.hdfs = hdfs;
    new Random(1).nextBytes(content);
  }

  /** What a client does {@link #BURST} times. */
  @FunctionalInterface
  private interface Access {
    void perform(Random random) throws IOException;
  }

  /**
   * {@code random|strided|sequential|small BYTES CLIENTS COPIES}: reads at random offsets, or at
   * rising ones with gaps or without, or creates, reads and deletes files.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
    int bytes = Integer.parseInt(args[1]);
    int clients = Integer.parseInt(args[2]);
    Configuration configuration = new Configuration();
    configuration.set("dfs.replication", args[3]);
    try (FileSystem hdfs = FileSystem.get(configuration);
        ExecutorService pool = Executors.newFixedThreadPool(clients)) {
      HdfsPatterns patterns = new HdfsPatterns(hdfs);
      if (args[0].equals("small")) {
        hdfs.mkdirs(new Path("/small"));
        patterns.serve(pool, clients, random -> patterns.smallFile(random));
      } else {
        Path path = new Path("/large");
        try (FSDataOutputStream out = hdfs.create(path)) {
          out.write(patterns.content);
        }
        try (FSDataInputStream in = hdfs.open(path)) {
          int gap = args[0].equals("strided") ? 4 : 1;
          boolean random = args[0].equals("random");
          AtomicInteger last = new AtomicInteger();
          patterns.serve(
              pool,
              clients,
              numbers -> {
                int pages = FILE_BYTES / bytes;
                int page =
                    random ? numbers.nextInt(pages) : Math.floorMod(last.addAndGet(gap), pages);
                patterns.read(in, page * bytes, bytes);
              });
        }
      }
    }
  }

  private void serve(ExecutorService pool, int clients, Access access) throws Exception {
    Random seeds = new Random(2);
    Loop.serve(
        (double) clients * BURST,
        () -> {
          List<Callable<Void>> bursts = new ArrayList<>();
          for (int i = 0; i < clients; i++) {
            Random random = new Random(seeds.nextLong());
            bursts.add(() -> {
              for (int j = 0; j < BURST; j++) {
                access.perform(random);
              }
              return null;
            });
          }
          for (Future<Void> burst : pool.invokeAll(bursts)) {
            burst.get();
          }
        });
  }

  private void read(FSDataInputStream in, int offset, int bytes) throws IOException {
    byte[] back = new byte[bytes];
    in.readFully(offset, back);
    if (!Arrays.equals(back, 0, bytes, content, offset, offset + bytes)) {
      throw new IllegalStateException("other bytes came back from " + offset);
    }
  }

  private void smallFile(Random random) throws IOException {
    Path path = new Path("/small/" + names.incrementAndGet());
    int offset = random.nextInt(FILE_BYTES - SMALL_FILE);
    try (FSDataOutputStream out = hdfs.create(path)) {
      out.write(content, offset, SMALL_FILE);
    }
    byte[] back = new byte[SMALL_FILE];
    try (FSDataInputStream in = hdfs.open(path)) {
      in.readFully(back);
    }
    if (!Arrays.equals(back, 0, SMALL_FILE, content, offset, offset + SMALL_FILE)) {
      throw new IllegalStateException("other bytes came back from " + path);
    }
    hdfs.delete(path, false);
  }
}
