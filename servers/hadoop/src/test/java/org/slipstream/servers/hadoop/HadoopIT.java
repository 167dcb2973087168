package org.slipstream.servers.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.servers.Comparison;
import org.slipstream.servers.Comparison.Round;
import org.slipstream.servers.Jvm;
import org.slipstream.servers.Latencies;
import org.slipstream.servers.Run;
import org.slipstream.servers.Scenario.Figures;

/**
 * HDFS with two copies of each block, and MapReduce over it. Each block travels on connections of
 * its own, so a share of the bytes goes out before they are upgraded.
 */
class HadoopIT {
  private static final int FILES = 2;
  private static final int MEGABYTES = 16;
  private static final int ROWS = 100_000;
  private static final String TERASORT = "org.apache.hadoop.examples.terasort.";

  private static Figures writeAndRead(Run run) throws Exception {
    Cluster cluster = Cluster.start(run);
    run.begin();
    Jvm client =
        run.client(
            "client",
            cluster.client(),
            HdfsLoad.class.getName(),
            Integer.toString(FILES),
            Integer.toString(MEGABYTES * run.scale()));
    client.finish(240);
    return Latencies.figures(client.await(Latencies.LINE, 1));
  }

  /** Generates rows, sorts them, and has the order and the checksum validated. */
  private static Figures teraSort(Run run) throws Exception {
    Cluster cluster = Cluster.start(run);
    List<String> flags = cluster.client();
    int rows = ROWS * run.scale();
    run.begin();
    long start = System.nanoTime();
    run.client("gen", flags, TERASORT + "TeraGen", Integer.toString(rows), "/in").finish(240);
    run.client(
            "sort",
            flags,
            TERASORT + "TeraSort",
            "-Dmapreduce.terasort.simplepartitioner=true",
            "/in",
            "/out")
        .finish(240);
    run.client("validate", flags, TERASORT + "TeraValidate", "/out", "/report").finish(240);
    double seconds = (System.nanoTime() - start) / 1e9;
    String report =
        run.client("report", flags, "org.apache.hadoop.fs.FsShell", "-cat", "/report/part-r-00000")
            .finish(60);
    assertThat(report).contains("checksum").doesNotContain("misorder").doesNotContain("error");
    return new Figures(rows / seconds, Double.NaN, Double.NaN);
  }

  @Test
  void filesTravelOnTheRingAndWithoutIt() throws Exception {
    assertThat(Comparison.once(HadoopIT::writeAndRead, false, 1).share()).isZero();
    Round on = Comparison.once(HadoopIT::writeAndRead, true, 1);
    assertThat(on.share()).as("share of bytes that left the kernel").isGreaterThan(0.5);
    Comparison.measureIfWanted(
        "HDFS, 2 data nodes, write and read", "MB/s", HadoopIT::writeAndRead);
  }

  @Test
  void aSortTravelsOnTheRingAndWithoutIt() throws Exception {
    assertThat(Comparison.once(HadoopIT::teraSort, false, 1).share()).isZero();
    Round on = Comparison.once(HadoopIT::teraSort, true, 1);
    assertThat(on.share()).as("share of bytes that left the kernel").isGreaterThan(0.4);
    Comparison.measureIfWanted(
        "TeraGen, TeraSort, TeraValidate over HDFS", "rows/s", HadoopIT::teraSort);
  }
}
