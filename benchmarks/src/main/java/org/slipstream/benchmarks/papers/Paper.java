package org.slipstream.benchmarks.papers;

import java.util.List;

/**
 * An experiment of a paper.
 *
 * @param name of the command line
 * @param experiment what was done
 * @param claim what the paper says came of it
 * @param needs what it needs here
 * @param state of it here
 * @param commands of {@code ./slipstream} that repeat it, each of which takes {@code --json}
 */
public record Paper(
    String name,
    String experiment,
    String claim,
    String needs,
    String state,
    List<List<String>> commands) {

  /** All of them, in the order of the project's issues. */
  public static final List<Paper> ALL =
      List.of(
          new Paper(
              "pages",
              "FlashNet: random reads of a file through a server of one core",
              "4 KiB: 65,000 to 70,000 IOPS per core with sendfile, 98,000 with the application off"
                  + " the path (1.4 to 1.5 times); 123 µs with sendfile, 70 µs (0.57 times)",
              "a file system that takes O_DIRECT for the rows past the page cache; some nine"
                  + " minutes",
              "there, for pages of 4 KiB, 64 KiB and 1 MiB and 1 to 128 clients",
              List.of(
                  List.of(
                      "pages",
                      "--sizes=4k,64k,1m",
                      "--clients=1,8,64,128",
                      "--seconds=2.4",
                      "--rounds=4",
                      "--warmup=8"))),
          new Paper(
              "hdfs",
              "BeeGFS on SuperSockets: access patterns of a distributed file system",
              "plots over Ethernet and SuperSockets, without figures",
              "Hadoop from Maven Central, and a C compiler for NTB; some fifteen minutes",
              "there, over HDFS on TCP, shared memory and NTB: files written, reads at random, with"
                  + " gaps and in a row, small files, by 1, 4 and 8 clients, with one copy and two,"
                  + " with and without transferTo",
              List.of(
                  List.of(
                      "servers",
                      "--rounds",
                      "3",
                      "--seconds",
                      "1",
                      "--warmup",
                      "30",
                      "--ntb",
                      "--only",
                      "HDFS:",
                      "hadoop"))),
          new Paper(
              "terasort",
              "RSort: TeraSort",
              "8 to 10 times Hadoop 2.2's speed with an engine of its own; Spark at its best is 7"
                  + " to 13 % faster than that, because it hardly uses the network",
              "Hadoop and Spark from Maven Central; some fifteen minutes",
              "there, as an unmodified Hadoop 3.5, whose jobs start with and without an AOT cache,"
                  + " and as a sort of the same records by Spark 4.2",
              List.of(
                  List.of("servers", "--rounds", "3", "--only", "TeraSort", "hadoop", "spark"))),
          new Paper(
              "pagerank",
              "Carafe: PageRank, 32 iterations",
              "2.6 times GraphLab's speed, 4.2 times GraphX's",
              "Spark and Pekko from Maven Central; some ten minutes",
              "there, by GraphX in Spark 4.2 on a seeded R-MAT graph of 262,144 vertices, and by"
                  + " the actors of a Pekko cluster, whose work is messages",
              List.of(
                  List.of(
                      "servers", "--rounds", "3", "--warmup", "3", "--only", "PageRank", "spark"),
                  List.of(
                      "servers",
                      "--rounds",
                      "3",
                      "--warmup",
                      "30",
                      "--only",
                      "PageRank",
                      "pekko"))),
          new Paper(
              "sql",
              "psql over a preload library: 39,705 statements through one connection",
              "12.14 s become 7.69 s (0.63 times), 1.16 s of system time 0.04 s, 1.07 s of user"
                  + " time 7.66 s",
              "H2, Derby and HSQLDB from Maven Central",
              "there, by a JDBC client in place of psql",
              List.of(
                  List.of(
                      "servers",
                      "--rounds",
                      "3",
                      "--seconds",
                      "1",
                      "--cores",
                      "0,1",
                      "--cores",
                      "0-3",
                      "databases"))),
          new Paper(
              "pvfs",
              "PVFS over InfiniBand: bursts of small messages, transfer unit, registration by"
                  + " reuse",
              "three figures: small messages inline, copied or from where they are; the unit of a"
                  + " transfer; registration by how much memory is used again",
              "QEMU and a C compiler; some ten minutes",
              "there, in a virtual machine with software RDMA, whose shapes docs/RDMA.md compares",
              List.of(List.of("rdma"))),
          new Paper(
              "pingpong",
              "SuperSockets and the preload library: ping-pong and streams",
              "81,781 round trips a second on one host become 472,415 (5.8 times), 39,541 between"
                  + " hosts 381,520 (9.7 times)",
              "a C compiler for NTB, which is a loopback library, and QEMU for RDMA, which is a"
                  + " virtual machine's; some fifteen minutes",
              "there, for TCP, shared memory, NTB, and RDMA beside TCP in the virtual machine",
              List.of(
                  exchanges("pingpong", "ntb", "1,64,1k,16k,64k", "--seconds=1"),
                  exchanges("pingpong", "rdma", "1,64,1k,16k,64k", "--seconds=2"),
                  exchanges("stream", "ntb", "64,1k,16k,64k,1m", "--seconds=1"),
                  exchanges("stream", "rdma", "64,1k,16k,64k,1m", "--seconds=2"))));

  /** Emulated compilers take longer. */
  private static List<String> exchanges(
      String command, String transport, String sizes, String seconds) {
    return List.of(
        command,
        "--transport=" + transport,
        "--sizes=" + sizes,
        seconds,
        "--rounds=5",
        transport.equals("rdma") ? "--warmup=15" : "--warmup=5");
  }
}
