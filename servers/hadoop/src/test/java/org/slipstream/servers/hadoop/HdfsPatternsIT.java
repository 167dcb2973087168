package org.slipstream.servers.hadoop;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.servers.Comparison;
import org.slipstream.servers.Jvm;
import org.slipstream.servers.Least;
import org.slipstream.servers.Loop;
import org.slipstream.servers.Run;
import org.slipstream.servers.Scenario;

/** The access patterns of a distributed file system, over HDFS with two data nodes, in memory. */
class HdfsPatternsIT {
  /** Whose time is shown by itself: so many reads or files. */
  private static final int SIZE = 1000;

  /** Turns of a test, each a burst of each client. */
  private static final int BURSTS = 12;

  /** What is done, with how many bytes, by how many clients, over how many copies. */
  enum Pattern implements Scenario {
    RANDOM_4K("random 4 KiB", "random", 4 << 10, 1, 2, true),
    RANDOM_64K("random 64 KiB", "random", 64 << 10, 1, 2, true),
    STRIDED_64K("strided 64 KiB", "strided", 64 << 10, 1, 2, true),
    RANDOM_1M("random 1 MiB", "random", 1 << 20, 1, 2, true),
    RANDOM_1M_COPIED("1 MiB, no transferTo", "random", 1 << 20, 1, 2, false),
    SEQUENTIAL_64K("64 KiB in a row", "sequential", 64 << 10, 1, 2, true),
    RANDOM_4K_8("random 4 KiB, 8 clients", "random", 4 << 10, 8, 2, true),
    SMALL_1("small files, 1 copy", "small", 0, 1, 1, true),
    SMALL_2("small files, 2 copies", "small", 0, 1, 2, true);

    private final String title;
    private final String access;
    private final int bytes;
    private final int clients;
    private final int copies;
    private final boolean transferTo;

    Pattern(String title, String access, int bytes, int clients, int copies, boolean transferTo) {
      this.title = title;
      this.access = access;
      this.bytes = bytes;
      this.clients = clients;
      this.copies = copies;
      this.transferTo = transferTo;
    }

    @Override
    public Load start(Run run) throws Exception {
      Map<String, String> settings =
          Map.of("dfs.datanode.transferTo.allowed", Boolean.toString(transferTo));
      Jvm client =
          run.client(
              "client",
              Cluster.start(run, run.memory(), settings).client(),
              HdfsPatterns.class.getName(),
              access,
              Integer.toString(bytes),
              Integer.toString(clients),
              Integer.toString(copies));
      return Loop.of(run, client, BURSTS);
    }

    @Override
    public boolean isForNodes() {
      return true;
    }

    String row() {
      return "HDFS: 1,000 times " + title;
    }

    String unit() {
      return access.equals("small") ? "files/s" : "reads/s";
    }

    /**
     * A small file has three connections of its own, and most of its bytes go before an upgrade.
     */
    Least least() {
      return Least.of(access.equals("small") ? 0.05 : 0.5);
    }
  }

  @ParameterizedTest
  @EnumSource(Pattern.class)
  void accessesTravelOnTheRingAndWithoutIt(Pattern pattern) throws Exception {
    Comparison.run(pattern.row(), pattern.unit(), SIZE, pattern.least(), pattern);
  }
}
