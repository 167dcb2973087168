package org.slipstream.servers.hadoop;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slipstream.servers.Jvm;
import org.slipstream.servers.Run;

/** A name node and two data nodes, each a process with an address of its own. */
final class Cluster {
  private static final int DATA_NODES = 2;

  private final Run run;
  private final String authority;

  private Cluster(Run run, String authority) {
    this.run = run;
    this.authority = authority;
  }

  static Cluster start(Run run) throws Exception {
    return start(run, run.directory(), Map.of());
  }

  /** With a directory for what the data nodes hold, and settings for them. */
  static Cluster start(Run run, Path data, Map<String, String> settings) throws Exception {
    Cluster cluster = new Cluster(run, run.address() + ":" + Run.freePort());
    List<String> name = cluster.flags("name", Map.of());
    run.prepare(
        "format",
        name,
        "org.apache.hadoop.hdfs.server.namenode.NameNode",
        "-format",
        "-force",
        "-nonInteractive");
    run.server("name", name, "org.apache.hadoop.hdfs.server.namenode.NameNode")
        .await("NameNode RPC up at", 90);
    List<Jvm> nodes = new ArrayList<>();
    for (int i = 0; i < DATA_NODES; i++) {
      String node = "data-" + i;
      Map<String, String> own = new LinkedHashMap<>(settings);
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
      node.await("successfully registered with NN", 90);
    }
    return cluster;
  }

  /** Flags of a client: small, and configured for this cluster. */
  List<String> client() throws Exception {
    return flags("client", Map.of());
  }

  private List<String> flags(String process, Map<String, String> more) throws Exception {
    Path directory = Files.createDirectories(run.directory().resolve("conf-" + process));
    Map<String, String> settings = new LinkedHashMap<>(more);
    settings.put("fs.defaultFS", "hdfs://" + authority);
    settings.put("hadoop.tmp.dir", run.directory().resolve("tmp-" + process).toString());
    settings.put("dfs.namenode.name.dir", run.directory().resolve("name").toString());
    settings.put("dfs.namenode.http-address", "127.0.0.1:0");
    settings.put("dfs.namenode.datanode.registration.ip-hostname-check", "false");
    settings.put("dfs.datanode.http.address", "127.0.0.1:0");
    settings.put("dfs.client.use.datanode.hostname", "true");
    settings.put("dfs.datanode.use.datanode.hostname", "true");
    settings.put("dfs.replication", Integer.toString(DATA_NODES));
    settings.put("mapreduce.framework.name", "local");
    StringBuilder xml = new StringBuilder("<configuration>\n");
    settings.forEach((key, value) ->
        xml.append(
            "<property><name>%s</name><value>%s</value></property>%n".formatted(key, value)));
    // The defaults of HDFS and MapReduce come after the first one and would win.
    for (String file : List.of("core-site.xml", "hdfs-site.xml", "mapred-site.xml")) {
      Files.writeString(directory.resolve(file), xml + "</configuration>\n");
    }
    return List.of("-Xmx384m", "-cp", directory + File.pathSeparator + Run.classPath());
  }
}
