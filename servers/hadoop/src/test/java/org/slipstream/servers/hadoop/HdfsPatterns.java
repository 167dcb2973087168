package org.slipstream.servers.hadoop;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
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

/** Access patterns of a distributed file system: files written, reads at an offset, small files. */
public final class HdfsPatterns implements AutoCloseable {
  private static final int FILE_BYTES = 16 << 20;
  private static final int SMALL_FILE = 1024;

  /** What a client does before the others are waited for. */
  private static final int BURST = 16;

  private static final int MOST_CLIENTS = 8;
  private static final int MOST_COPIES = 2;

  private final FileSystem hdfs;
  private final ExecutorService pool = Executors.newFixedThreadPool(MOST_CLIENTS);
  private final byte[] content = new byte[FILE_BYTES];
  private final AtomicInteger names = new AtomicInteger();
  private final Random seeds = new Random(2);

  /** The large files; the number of their copies less one is the index. */
  private final List<FSDataInputStream> files = new ArrayList<>();

  private HdfsPatterns(FileSystem hdfs) throws IOException {
    this.hdfs = hdfs;
    new Random(1).nextBytes(content);
    for (short copies = 1; copies <= MOST_COPIES; copies++) {
      Path path = new Path("/large-" + copies);
      write(path, FILE_BYTES, copies);
      files.add(hdfs.open(path));
    }
  }

  /** What a client does again and again. */
  @FunctionalInterface
  private interface Access {
    void perform(Random random) throws IOException;
  }

  /**
   * Obeys its input, where a load is {@code random|strided|sequential|write|small BYTES CLIENTS
   * COPIES}: reads at random offsets, or at rising ones with gaps or without, or writes files in
   * pieces, or creates, reads and deletes small files.
   *
   * @param args none
   */
  public static void main(String[] args) throws Exception {
    try (FileSystem hdfs = FileSystem.get(new Configuration());
        HdfsPatterns patterns = new HdfsPatterns(hdfs)) {
      Loop.serve(patterns::load);
    }
  }

  private Loop.Job load(List<String> words) throws IOException {
    int bytes = Integer.parseInt(words.get(1));
    int clients = Integer.parseInt(words.get(2));
    short copies = Short.parseShort(words.get(3));
    return switch (words.getFirst()) {
      case "small" -> job(clients, BURST, BURST, random -> smallFile(random, copies));
      case "write" -> {
        check(written(bytes, copies));
        yield job(
            clients, 1, FILE_BYTES / bytes, random -> hdfs.delete(written(bytes, copies), false));
      }
      case "random" -> {
        FSDataInputStream in = files.get(copies - 1);
        yield job(
            clients,
            BURST,
            BURST,
            random -> read(in, random.nextInt(FILE_BYTES / bytes) * bytes, bytes));
      }
      case "strided", "sequential" -> {
        FSDataInputStream in = files.get(copies - 1);
        int gap = words.getFirst().equals("strided") ? 4 : 1;
        AtomicInteger last = new AtomicInteger();
        yield job(
            clients,
            BURST,
            BURST,
            random ->
                read(in, Math.floorMod(last.addAndGet(gap), FILE_BYTES / bytes) * bytes, bytes));
      }
      default -> throw new IllegalArgumentException("no pattern: " + words);
    };
  }

  /** Each client accesses so often, which counts for so much; then all are waited for. */
  private Loop.Job job(int clients, int times, int amount, Access access) {
    return new Loop.Job((double) clients * amount, () -> burst(clients, times, access), Map::of);
  }

  private void burst(int clients, int times, Access access) throws Exception {
    List<Callable<Void>> bursts = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      Random random = new Random(seeds.nextLong());
      bursts.add(() -> {
        for (int j = 0; j < times; j++) {
          access.perform(random);
        }
        return null;
      });
    }
    for (Future<Void> burst : pool.invokeAll(bursts)) {
      burst.get();
    }
  }

  private void write(Path path, int bytes, short copies) throws IOException {
    try (FSDataOutputStream out = hdfs.create(path, copies)) {
      for (int at = 0; at < FILE_BYTES; at += bytes) {
        out.write(content, at, bytes);
      }
    }
  }

  /** A new large file, whose bytes the data nodes have compared with their checksums. */
  private Path written(int bytes, short copies) throws IOException {
    Path path = new Path("/written/" + names.incrementAndGet());
    write(path, bytes, copies);
    long length = hdfs.getFileStatus(path).getLen();
    if (length != FILE_BYTES) {
      throw new IllegalStateException(path + " has " + length + " bytes");
    }
    return path;
  }

  /** Reads it back, which is no part of a load that writes, and deletes it. */
  private void check(Path path) throws IOException {
    try (FSDataInputStream in = hdfs.open(path)) {
      read(in, 0, FILE_BYTES);
    }
    hdfs.delete(path, false);
  }

  private void read(FSDataInputStream in, int offset, int bytes) throws IOException {
    byte[] back = new byte[bytes];
    in.readFully(offset, back);
    if (!Arrays.equals(back, 0, bytes, content, offset, offset + bytes)) {
      throw new IllegalStateException("other bytes came back from " + offset);
    }
  }

  private void smallFile(Random random, short copies) throws IOException {
    Path path = new Path("/small/" + names.incrementAndGet());
    int offset = random.nextInt(FILE_BYTES - SMALL_FILE);
    try (FSDataOutputStream out = hdfs.create(path, copies)) {
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

  @Override
  public void close() throws IOException {
    pool.close();
    for (FSDataInputStream in : files) {
      in.close();
    }
  }
}
