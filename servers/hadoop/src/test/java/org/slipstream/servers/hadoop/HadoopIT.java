package org.slipstream.servers.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.slipstream.servers.Arm;
import org.slipstream.servers.Comparison;
import org.slipstream.servers.Jvm;
import org.slipstream.servers.Least;
import org.slipstream.servers.Loop;
import org.slipstream.servers.Run;
import org.slipstream.servers.Scenario.Figures;
import org.slipstream.servers.Scenario.Load;

/**
 * HDFS with two copies of each block, and MapReduce over it. Each block travels on connections of
 * its own, so a share of the bytes goes out before they are upgraded.
 */
class HadoopIT {
  private static final int FILES = 2;
  private static final int MEGABYTES = 16;
  private static final int ROWS = 100_000;
  private static final int ROW_BYTES = 100;
  private static final int TRIPS = 4;

  /** Whose time is shown by itself. */
  private static final int SORTED = 1_000_000;

  private static final String START = "(?m)^START ([0-9.]+)$";
  private static final String TERASORT = "org.apache.hadoop.examples.terasort.";

  private static Load writeAndRead(Run run) throws Exception {
    Jvm client =
        run.client(
            "client",
            Cluster.start(run).client(),
            HdfsLoad.class.getName(),
            Integer.toString(MEGABYTES));
    return Loop.of(run, client, FILES);
  }

  private static Load teraSort(Run run) throws Exception {
    TeraSort sort = new TeraSort(run, Cluster.start(run).job());
    if (run.arm().isCached()) {
      sort.makeCaches();
    }
    return sort;
  }

  /** Generates rows, sorts them, and has the order and the checksum validated. */
  private static final class TeraSort implements Load {
    private static final int PATIENCE_S = 240;

    /** A JVM that makes its cache starts another one for it at its end. */
    private static final int PATIENCE_WITH_CACHE_S = 600;

    private final Run run;
    private final List<String> flags;
    private int turns;

    /** Of the jobs' JVMs, before the file of a cache; none without caches. */
    private List<String> cacheFlags = List.of();

    TeraSort(Run run, List<String> flags) {
      this.run = run;
      this.flags = flags;
    }

    /** As a program's own training run: each job once, with the load of a turn. */
    void makeCaches() throws Exception {
      cacheFlags = List.of("-Xlog:aot=off", "-XX:AOTCacheOutput=");
      turn();
      // A JVM that can not use its cache fails, and does not start without it.
      cacheFlags = List.of("-Xlog:aot=off", "-XX:AOTMode=on", "-XX:AOTCache=");
    }

    @Override
    public Figures turn() throws Exception {
      String directory = "/" + ++turns;
      String in = directory + "/in";
      String out = directory + "/out";
      String report = directory + "/report";
      int rows = ROWS * run.scale();
      long start = System.nanoTime();
      String said = tool(TERASORT + "TeraGen", Integer.toString(rows), in);
      long sorting = System.nanoTime();
      String sorted =
          tool(TERASORT + "TeraSort", "-Dmapreduce.terasort.simplepartitioner=true", in, out);
      double sortSeconds = (System.nanoTime() - sorting) / 1e9;
      said += sorted + tool(TERASORT + "TeraValidate", out, report);
      double seconds = (System.nanoTime() - start) / 1e9;
      String read = "org.apache.hadoop.fs.FsShell";
      assertThat(
              run.client("FsShell-" + turns, flags, read, "-cat", report + "/part-r-00000")
                  .finish(PATIENCE_S))
          .contains("checksum")
          .doesNotContain("misorder")
          .doesNotContain("error");
      Map<String, Double> more = profile(rows, said);
      more.put("sort_s", sortSeconds);
      more.put("sort_start_s", sum(sorted, START));
      return new Figures(rows, rows / seconds, Double.NaN, Double.NaN, more);
    }

    /**
     * Of the three processes together: what crossed their sockets to HDFS, where each row is
     * written, read, written and read; how long they took to reach the first line of their main
     * methods; and the processor time of their compilers. What sorts is told by itself, too.
     */
    private static Map<String, Double> profile(int rows, String said) {
      Map<String, Double> all = new LinkedHashMap<>();
      all.put("wire_mb", (double) TRIPS * ROW_BYTES * rows / 1e6);
      all.put("start_s", sum(said, START));
      all.put("compilers_s", sum(said, "(?m)^COMPILERS ([0-9.E-]+)$"));
      return all;
    }

    private static double sum(String said, String number) {
      return Pattern.compile(number)
          .matcher(said)
          .results()
          .mapToDouble(found -> Double.parseDouble(found.group(1)))
          .sum();
    }

    private String tool(String... command) throws Exception {
      String simple = command[0].substring(command[0].lastIndexOf('.') + 1);
      List<String> all = new ArrayList<>(flags);
      Path cache = run.directory().resolve(simple + ".aot");
      if (cacheFlags.isEmpty()) {
        return run.client(simple + "-" + turns, all, command).finish(PATIENCE_S);
      }
      all.addAll(cacheFlags.subList(0, cacheFlags.size() - 1));
      all.add(cacheFlags.getLast() + cache);
      String said = run.client(simple + "-" + turns, all, command).finish(PATIENCE_WITH_CACHE_S);
      assertThat(cache).as(said).isNotEmptyFile();
      return said;
    }
  }

  @Test
  void filesTravelOnTheRingAndWithoutIt() throws Exception {
    Comparison.run(
        "HDFS, 2 data nodes, 16 MB files written and read",
        "MB/s",
        Least.of(0.5),
        HadoopIT::writeAndRead);
  }

  @Test
  void aSortTravelsOnTheRingAndWithoutIt() throws Exception {
    Comparison.run(
        "TeraGen, TeraSort, TeraValidate over HDFS",
        "rows/s",
        SORTED,
        Least.of(0.4),
        Arm.CACHED,
        HadoopIT::teraSort);
  }
}
