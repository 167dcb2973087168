package org.slipstream.servers.hadoop;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import org.slipstream.servers.Guest;
import org.slipstream.servers.Jvm;
import org.slipstream.servers.Run;

/** A name node and two data nodes, each a process with an address of its own. */
final class Cluster {
  private static final int DATA_NODES = 2;

  /** The defaults of HDFS and MapReduce come after the first one and would win. */
  private static final List<String> FILES =
      List.of("core-site.xml", "hdfs-site.xml", "mapred-site.xml");

  /** On a machine that is busy with builds a name node took more than a minute and a half. */
  private static final int PATIENCE_S = Guest.seconds(300);

  private static final String SMALL = "-Xmx384m";

  private final Run run;
  private final String authority;

  /** Of all its processes. */
  private final Map<String, String> settings;

  private Cluster(Run run, String authority, Map<String, String> settings) {
    this.run = run;
    this.authority = authority;
    this.settings = settings;
  }

  static Cluster start(Run run) throws Exception {
    return start(run, run.directory(), Map.of());
  }

  /** With a directory for what the data nodes hold, and settings for all, clients too. */
  static Cluster start(Run run, Path data, Map<String, String> settings) throws Exception {
    Cluster cluster = new Cluster(run, run.address() + ":" + Run.freePort(), settings);
    List<String> name = cluster.flags("name", Map.of());
    run.prepare(
        "format",
        name,
        "org.apache.hadoop.hdfs.server.namenode.NameNode",
        "-format",
        "-force",
        "-nonInteractive");
    run.server("name", name, "org.apache.hadoop.hdfs.server.namenode.NameNode")
        .await("NameNode RPC up at", PATIENCE_S);
    List<Jvm> nodes = new ArrayList<>();
    for (int i = 0; i < DATA_NODES; i++) {
      String node = "data-" + i;
      Map<String, String> own = new LinkedHashMap<>();
      String address = run.address();
      own.put("dfs.datanode.data.dir", data.resolve(node).toString());
      own.put("dfs.datanode.address", address + ":0");
      own.put("dfs.datanode.ipc.address", address + ":0");
      // The name node would tell clients the address from which this node has connected to it.
      own.put("dfs.datanode.hostname", address);
      nodes.add(
          run.server(
              node, cluster.flags(node, own), "org.apache.hadoop.hdfs.server.datanode.DataNode"));
    }
    for (Jvm node : nodes) {
      node.await("successfully registered with NN", PATIENCE_S);
    }
    return cluster;
  }

  /** Flags of a client: small, and configured for this cluster. */
  List<String> client() throws Exception {
    return flags("client", Map.of());
  }

  /**
   * Flags of a client that may have an AOT cache: as {@link #client}, but with a class path of
   * jars, one of which holds the configuration.
   */
  List<String> job() throws Exception {
    Path jar = run.directory().resolve("conf-client.jar");
    Path directory = configuration("client", Map.of());
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (String file : FILES) {
        out.putNextEntry(new ZipEntry(file));
        Files.copy(directory.resolve(file), out);
        out.closeEntry();
      }
    }
    return List.of(SMALL, "-cp", run.cacheableClassPath(jar));
  }

  private List<String> flags(String process, Map<String, String> more) throws Exception {
    Path directory = configuration(process, more);
    return List.of(SMALL, "-cp", directory + File.pathSeparator + Run.classPath());
  }

  private Path configuration(String process, Map<String, String> more) throws Exception {
    Path directory = Files.createDirectories(run.directory().resolve("conf-" + process));
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.putAll(more);
    all.put("fs.defaultFS", "hdfs://" + authority);
    all.put("hadoop.tmp.dir", run.directory().resolve("tmp-" + process).toString());
    all.put("dfs.namenode.name.dir", run.directory().resolve("name").toString());
    all.put("dfs.namenode.http-address", "127.0.0.1:0");
    all.put("dfs.namenode.datanode.registration.ip-hostname-check", "false");
    all.put("dfs.datanode.http.address", "127.0.0.1:0");
    all.put("dfs.client.use.datanode.hostname", "true");
    all.put("dfs.datanode.use.datanode.hostname", "true");
    // A client of this host would otherwise open the blocks' files by itself.
    all.put("dfs.client.read.shortcircuit", "false");
    // A client that closes a file before a data node has told the name node of its block waits this
    // long: with the default of 400 ms a row would measure how often that race is lost.
    all.put("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", "5");
    all.put("dfs.client.block.write.locateFollowingBlock.retries", "10");
    all.put("dfs.replication", Integer.toString(DATA_NODES));
    all.put("mapreduce.framework.name", "local");
    StringBuilder xml = new StringBuilder("<configuration>\n");
    all.forEach((key, value) ->
        xml.append(
            "<property><name>%s</name><value>%s</value></property>%n".formatted(key, value)));
    for (String file : FILES) {
      Files.writeString(directory.resolve(file), xml + "</configuration>\n");
    }
    return directory;
  }
}
