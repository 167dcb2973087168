package org.slipstream.servers.hadoop;

import java.util.List;
import org.slipstream.servers.Least;
import org.slipstream.servers.Step;

/** What is done, with how many bytes, by how many clients, over how many copies. */
enum HdfsPattern {
  WRITE_1("64 KiB written in a row", "write", 64 << 10, 1, 2),
  WRITE_4("64 KiB written in a row", "write", 64 << 10, 4, 2),
  WRITE_8("64 KiB written in a row", "write", 64 << 10, 8, 2),
  WRITE_ONE_COPY("64 KiB written in a row", "write", 64 << 10, 1, 1),
  SEQUENTIAL_1("64 KiB in a row", "sequential", 64 << 10, 1, 2),
  SEQUENTIAL_4("64 KiB in a row", "sequential", 64 << 10, 4, 2),
  SEQUENTIAL_8("64 KiB in a row", "sequential", 64 << 10, 8, 2),
  STRIDED("strided 64 KiB", "strided", 64 << 10, 1, 2),
  RANDOM_64K("random 64 KiB", "random", 64 << 10, 1, 2),
  RANDOM_4K_1("random 4 KiB", "random", 4 << 10, 1, 2),
  RANDOM_4K_4("random 4 KiB", "random", 4 << 10, 4, 2),
  RANDOM_4K_8("random 4 KiB", "random", 4 << 10, 8, 2),
  RANDOM_4K_ONE_COPY("random 4 KiB", "random", 4 << 10, 1, 1),
  RANDOM_1M_1("random 1 MiB", "random", 1 << 20, 1, 2),
  RANDOM_1M_4("random 1 MiB", "random", 1 << 20, 4, 2),
  RANDOM_1M_8("random 1 MiB", "random", 1 << 20, 8, 2),
  SMALL_1("small files", "small", 0, 1, 2),
  SMALL_4("small files", "small", 0, 4, 2),
  SMALL_8("small files", "small", 0, 8, 2),
  SMALL_ONE_COPY("small files", "small", 0, 1, 1);

  /**
   * Those that are measured where everything is slow, over RDMA in software. What is written before
   * the first row counts for it, so that one moves many bytes.
   */
  static final List<HdfsPattern> FEW =
      List.of(RANDOM_1M_1, RANDOM_64K, SEQUENTIAL_1, WRITE_1, RANDOM_4K_1, SMALL_1);

  /** Whose time is shown by itself: so many reads, or pieces that are written. */
  private static final int ACCESSES = 1000;

  /** The same of small files. */
  private static final int SMALL_FILES = 2000;

  /** Bursts in a turn of a test, divided among the clients, and the fewest. */
  static final int BURSTS = 12;

  private static final int FEWEST = 2;

  /** Those that a data node sends with {@code transferTo}, or copies without. */
  static final List<HdfsPattern> COPIED =
      List.of(SEQUENTIAL_1, RANDOM_4K_1, RANDOM_1M_1, RANDOM_1M_8);

  private final String title;
  private final String access;
  private final int bytes;
  private final int clients;
  private final int copies;

  HdfsPattern(String title, String access, int bytes, int clients, int copies) {
    this.title = title;
    this.access = access;
    this.bytes = bytes;
    this.clients = clients;
    this.copies = copies;
  }

  /** The name leaves out what most patterns have in common: two copies, and transferTo. */
  Step step(boolean transferTo) {
    return step("HDFS: ", transferTo);
  }

  /** As this, with another beginning of the name. */
  Step step(String begin, boolean transferTo) {
    boolean small = access.equals("small");
    int size = small ? SMALL_FILES : ACCESSES;
    String name = "%s%,d times %s, %d".formatted(begin, size, title, clients);
    name += clients == 1 ? " client" : " clients";
    name += copies == 1 ? ", 1 copy" : "";
    name += transferTo ? "" : ", no transferTo";
    int operations = access.equals("write") ? FEWEST : Math.max(FEWEST, BURSTS / clients);
    String words = "%s %d %d %d".formatted(access, bytes, clients, copies);
    String unit = small ? "files/s" : access.equals("write") ? "pieces/s" : "reads/s";
    // A small file has three connections of its own, and most of its bytes go before an upgrade.
    return new Step(name, unit, size, Least.of(small ? 0.05 : 0.5), words, operations);
  }
}
