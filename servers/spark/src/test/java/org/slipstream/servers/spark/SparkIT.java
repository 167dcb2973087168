package org.slipstream.servers.spark;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.servers.Arm;
import org.slipstream.servers.Comparison;
import org.slipstream.servers.Jvm;
import org.slipstream.servers.Least;
import org.slipstream.servers.Loop;
import org.slipstream.servers.Run;
import org.slipstream.servers.Scenario.Load;

/**
 * A standalone master, two workers with an executor each, and the driver. As shipped, Netty's epoll
 * carries what they say; the other arms have its NIO transport. Blocks of the other executor come
 * over sockets, not by way of the files that both could read.
 */
class SparkIT {
  private static final int EXECUTORS = 2;
  private static final int PATIENCE_S = 240;
  private static final int FEW_RECORDS = 20_000;
  private static final int RECORDS = 1_000_000;
  private static final String SMALL_GRAPH = "9";
  private static final String GRAPH = "18";

  /** A file with the edges of another graph, to be measured in place of that. */
  private static final String FILE = System.getProperty("slipstream.servers.graph", "");

  private static final int FEW_STEPS = 3;

  /** As in the paper. */
  private static final int STEPS = 32;

  /** What JDK 17 and newer do not open by themselves, as Spark's own scripts say. */
  private static final List<String> OPEN =
      List.of(
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
          "--add-opens=java.base/java.io=ALL-UNNAMED",
          "--add-opens=java.base/java.net=ALL-UNNAMED",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/java.util=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
          "--add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.cs=ALL-UNNAMED",
          "--add-opens=java.base/sun.util.calendar=ALL-UNNAMED");

  /** Those of a process, with what all processes have to know. */
  private static List<String> flags(Run run, String... own) {
    List<String> flags = new ArrayList<>(OPEN);
    flags.addAll(List.of(own));
    flags.add("-Dspark.ui.enabled=false");
    if (run.arm() != Arm.SHIPPED) {
      flags.add("-Dspark.io.mode.default=NIO");
    }
    return flags;
  }

  private static Load start(Run run, String... job) throws Exception {
    String port = Integer.toString(Run.freePort());
    String master = "spark://127.0.0.1:" + port;
    Files.createDirectory(run.directory().resolve("jars")); // of a Spark that is installed
    run.server(
            "master",
            flags(run, "-Xmx192m"),
            "org.apache.spark.deploy.master.Master",
            "--host",
            "127.0.0.1",
            "--port",
            port,
            "--webui-port",
            "0")
        .await("I have been elected leader", PATIENCE_S);
    List<Jvm> workers = new ArrayList<>();
    for (int i = 0; i < EXECUTORS; i++) {
      workers.add(
          run.server(
              "worker-" + i,
              flags(run, "-Xmx192m", "-Dspark.local.dir=" + run.memory()),
              "org.apache.spark.deploy.worker.Worker",
              "--host",
              "127.0.0.1",
              "--cores",
              "1",
              "--memory",
              "1g",
              "--webui-port",
              "0",
              "--work-dir",
              run.directory().resolve("work-" + i).toString(),
              master));
    }
    for (Jvm worker : workers) {
      worker.await("Successfully registered with master", PATIENCE_S);
    }
    List<String> command = new ArrayList<>(List.of(SparkLoad.class.getName()));
    command.addAll(List.of(job));
    Jvm driver = run.client("driver", driver(run, master), command.toArray(String[]::new));
    driver.await("^EXECUTORS " + EXECUTORS + "$", PATIENCE_S);
    workers.forEach(run::adoptChildren);
    return Loop.of(run, driver, 1);
  }

  private static List<String> driver(Run run, String master) {
    List<String> executor = new ArrayList<>(List.of("-XX:+UseSerialGC"));
    executor.addAll(run.flags());
    return flags(
        run,
        "-Xmx1g",
        "-Dspark.master=" + master,
        "-Dspark.log.level=WARN",
        "-Dspark.driver.host=127.0.0.1",
        "-Dspark.driver.bindAddress=127.0.0.1",
        "-Dspark.local.dir=" + run.memory(),
        "-Dspark.executor.cores=1",
        "-Dspark.executor.memory=1g",
        "-Dspark.executor.extraClassPath=" + Run.classPath(),
        "-Dspark.executor.extraJavaOptions=" + String.join(" ", executor),
        "-Dspark.shuffle.readHostLocalDisk=false",
        "-Dspark.locality.wait=0");
  }

  @Test
  void recordsAreSortedOnTheRingAndWithoutIt() throws Exception {
    Comparison.run(
        "Spark, 2 executors, TeraSort's records sorted",
        "records/s",
        RECORDS,
        Least.of(0.5),
        Arm.THREE,
        run -> start(run, "sort", Integer.toString(run.scale() > 1 ? RECORDS : FEW_RECORDS)));
  }

  @Test
  void ranksAreComputedOnTheRingAndWithoutIt() throws Exception {
    String graph = FILE.isEmpty() ? GRAPH : FILE;
    Comparison.run(
        "Spark, 2 executors, PageRank by GraphX",
        "edges/s",
        (double) Edges.count(graph) * STEPS,
        Least.of(0.5),
        Arm.THREE,
        run ->
            run.scale() > 1
                ? start(run, "rank", graph, Integer.toString(STEPS))
                : start(run, "rank", SMALL_GRAPH, Integer.toString(FEW_STEPS)));
  }
}
