package org.slipstream.it.process;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.curator.test.InstanceSpec;
import org.jspecify.annotations.Nullable;
import org.slipstream.testkit.Patience;

/** A ZooKeeper in a process of its own: it is killed, and goes on from its log. */
final class ZooKeeperProcess implements AutoCloseable {
  /** Of two such ticks is the shortest session that it allows. */
  private static final int TICK_MS = 3_000;

  private static final String HOST = "127.0.0.1";

  private final Path home;
  private final Path libraries;
  private final int port = InstanceSpec.getRandomPort();
  private @Nullable Process process;

  /**
   * Prepares it.
   *
   * @param home for its log, and what it says
   * @param libraries a directory with its jars
   */
  ZooKeeperProcess(Path home, Path libraries) {
    this.home = home;
    this.libraries = libraries;
  }

  int port() {
    return port;
  }

  String hosts() {
    return HOST + ":" + port;
  }

  /** Starts it, with what it knew before, and waits until it listens. */
  void start() throws IOException {
    Path settings = home.resolve("zoo.cfg");
    Files.writeString(
        settings,
        """
        tickTime=%d
        dataDir=%s
        clientPort=%d
        clientPortAddress=%s
        admin.enableServer=false
        """
            .formatted(TICK_MS, home.resolve("zoo"), port, HOST));
    Process started =
        new ProcessBuilder(
                Children.JAVA,
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx128m",
                "-cp",
                libraries + "/*",
                "org.apache.zookeeper.server.ZooKeeperServerMain",
                settings.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(home.resolve("zoo.out").toFile()))
            .start();
    process = started;
    Children.soon()
        .alias("ZooKeeper listens; " + home.resolve("zoo.out"))
        .ignoreExceptions()
        .until(() -> {
          new Socket(HOST, port).close();
          return started.isAlive();
        });
  }

  /** SIGKILL, and waits until the kernel has taken the process apart. */
  void kill() throws InterruptedException {
    Process its = process;
    if (its != null && !its.destroyForcibly().waitFor(Patience.DEADLINE)) {
      throw new AssertionError("ZooKeeper does not end");
    }
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
