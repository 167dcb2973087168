package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.testkit.Patience;

/** The children of one test and the private runtime directory that they share. */
final class Children implements BeforeEachCallback, AfterEachCallback {
  static final Path JAR =
      Path.of(Objects.requireNonNull(System.getProperty("slipstream.jar"), "slipstream.jar"))
          .toAbsolutePath()
          .normalize();
  static final String JAVA = ProcessHandle.current().info().command().orElseThrow();
  private static final String PROVIDER =
      "-Djava.nio.channels.spi.SelectorProvider="
          + "org.slipstream.provider.nio.SlipstreamSelectorProvider";

  /** Small and quick to start; none of it changes how sockets behave. */
  private static final List<String> JVM =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m");

  private final List<Peer> peers = new ArrayList<>();
  private Path home = Path.of("");

  @Override
  public void beforeEach(ExtensionContext context) throws IOException {
    begin();
  }

  /** Makes the directory. */
  void begin() throws IOException {
    home =
        Files.createTempDirectory(
            Path.of("/dev/shm"),
            "slipstream-it-",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException, InterruptedException {
    end(context.getExecutionException().isPresent());
  }

  /** Ends all children; for a class that has the same ones for all of its tests. */
  void end(boolean report) throws IOException, InterruptedException {
    for (Peer peer : peers) {
      peer.destroy();
    }
    for (Peer peer : peers) {
      peer.awaitExit();
      if (report) {
        peer.report();
      }
    }
    peers.clear();
    // A fabric of this JVM removes files at the same time.
    soon()
        .ignoreExceptions()
        .until(() -> {
          removeHome();
          return true;
        });
  }

  private void removeHome() throws IOException {
    try (Stream<Path> all = Files.walk(home)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }

  /** A private directory of this test. */
  Path home() {
    return home;
  }

  /** The runtime directory of its children; they make it. */
  Path directory() {
    return home.resolve("run");
  }

  // -- starting --------------------------------------------------------------------------------

  /** A JVM with the agent. */
  Peer accelerated(String... flags) throws Exception {
    return launch(acceleratedCommand(List.of(), flags)).awaitReady();
  }

  /** Two at once, which is quicker than one after the other. */
  List<Peer> acceleratedPair(String... flags) throws Exception {
    Peer a = launch(acceleratedCommand(List.of(), flags));
    Peer b = launch(acceleratedCommand(List.of(), flags));
    return List.of(a.awaitReady(), b.awaitReady());
  }

  /** A JVM on which nothing of ours is switched on. */
  Peer plain() throws Exception {
    List<String> command = new ArrayList<>(List.of(JAVA));
    command.addAll(JVM);
    command.addAll(List.of("-cp", classes(), PeerProgram.class.getName()));
    return launch(command).awaitReady();
  }

  /** A JVM with our provider as a system property, the jar on the class path, and no agent. */
  Peer withProvider(String... flags) throws Exception {
    List<String> command = new ArrayList<>(List.of(JAVA, PROVIDER));
    command.addAll(JVM);
    command.add("-Dslipstream.dir=" + directory());
    command.addAll(List.of(flags));
    command.addAll(List.of("-cp", classes() + ":" + JAR, PeerProgram.class.getName()));
    return launch(command).awaitReady();
  }

  /** The command line of an accelerated JVM, behind another command; later flags win. */
  List<String> acceleratedCommand(List<String> prefix, String... flags) throws Exception {
    List<String> command = new ArrayList<>(prefix);
    command.add(JAVA);
    command.addAll(JVM);
    command.add("-javaagent:" + JAR);
    command.add("-Dslipstream.dir=" + directory());
    command.addAll(List.of(flags));
    command.addAll(List.of("-cp", classes(), PeerProgram.class.getName()));
    return command;
  }

  Peer launch(List<String> command) throws IOException {
    Peer peer = Peer.start(command);
    peers.add(peer);
    return peer;
  }

  static String classes() throws URISyntaxException {
    return Path.of(PeerProgram.class.getProtectionDomain().getCodeSource().getLocation().toURI())
        .toString();
  }

  /** Takes back the announcements of all listeners: nobody finds them any more. */
  void hideListeners() throws IOException {
    for (Path path : Census.files(directory())) {
      if (path.getParent().getFileName().toString().startsWith("port-")) {
        Files.delete(path);
      }
    }
  }

  // -- looking ---------------------------------------------------------------------------------

  /** All streams of all children. */
  List<StreamLine> streams() {
    try {
      return StreamLine.parse(
          String.join(",", ProcessInspector.ask(directory().toString(), "streams")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<StreamLine> streams(Peer peer) {
    return streams().stream().filter(s -> s.pid() == peer.pid()).toList();
  }

  /** The only stream of a child. */
  StreamLine stream(Peer peer) {
    List<StreamLine> lines = streams(peer);
    assertThat(lines).as("streams of process %s", peer.pid()).hasSize(1);
    return lines.getFirst();
  }

  static ConditionFactory soon() {
    return await().pollInterval(Duration.ofMillis(10));
  }

  /** Exchanges messages on a channel to an echo until all streams of both are on the ring. */
  void upgrade(Peer client, String channel) throws Exception {
    upgrade(client, channel, all -> all.stream().allMatch(StreamLine::onRing));
  }

  private void upgrade(Peer client, String channel, Predicate<List<StreamLine>> enough)
      throws Exception {
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    List<StreamLine> now;
    do {
      client.ask("exchange " + channel + " 20 2000 1");
      now = streams();
      if (!now.isEmpty() && enough.test(now)) {
        return;
      }
    } while (System.nanoTime() - end < 0);
    throw new AssertionError("not on the ring, whatever was exchanged: " + now);
  }

  /** Waits until a process holds again what it held, and says what it holds too much. */
  void awaitCensus(Peer peer, Census before) {
    soon().untilAsserted(() -> assertThat(Census.of(peer, home)).isEqualTo(before));
  }

  Census census(Peer peer) throws Exception {
    return Census.of(peer, home);
  }

  /** Waits for an end of stream that has to come within one second. */
  static String endWithinOneSecond(Peer survivor, CompletableFuture<String> reading)
      throws Exception {
    return survivor.ok(reading, Patience.promptly(), "the end of the stream");
  }
}
