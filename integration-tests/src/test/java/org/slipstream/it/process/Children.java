package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.TestDirectory;

/** The children of one test and the private runtime directory that they share. */
final class Children implements BeforeEachCallback, AfterEachCallback {
  static final Path JAR =
      Path.of(Objects.requireNonNull(System.getProperty("slipstream.jar"), "slipstream.jar"))
          .toAbsolutePath()
          .normalize();
  static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();
  private static final String PROVIDER =
      "-Djava.nio.channels.spi.SelectorProvider="
          + "org.slipstream.provider.nio.SlipstreamSelectorProvider";

  /** Small and quick to start; none of it changes how sockets behave. */
  private static final List<String> JVM =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m");

  /** Settings of this JVM that a machine needs: they go to every accelerated one. */
  static final List<String> OF_THIS_MACHINE =
      Stream.of("slipstream.rdma.iwarp", "slipstream.rdma.slow")
          .filter(key -> System.getProperty(key) != null)
          .map(key -> "-D" + key + "=" + System.getProperty(key))
          .toList();

  private final List<Peer> peers = new ArrayList<>();
  private @Nullable TestDirectory directory;
  private Path home = Path.of("");

  @Override
  public void beforeEach(ExtensionContext context) throws IOException {
    begin();
  }

  /** Makes the directory. */
  void begin() throws IOException {
    directory = TestDirectory.create();
    home = directory.path();
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
    Objects.requireNonNull(directory)
        .close(); // a fabric of this JVM removes files at the same time
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
    return launch(plainCommand(List.of())).awaitReady();
  }

  /** The command line of a JVM on which nothing of ours is switched on, behind another command. */
  List<String> plainCommand(List<String> prefix) throws Exception {
    List<String> command = new ArrayList<>(prefix);
    command.add(JAVA);
    command.addAll(JVM);
    command.addAll(List.of("-cp", classes(), PeerProgram.class.getName()));
    return command;
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
    command.addAll(OF_THIS_MACHINE);
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

  /** Takes back the announcements of all listeners: no peer finds them any more. */
  void hideListeners() throws IOException {
    for (Path path : Census.files(directory())) {
      if (isAnnouncement(path)) {
        Files.delete(path);
      }
    }
    assertThat(Census.files(directory())).noneMatch(Children::isAnnouncement);
  }

  private static boolean isAnnouncement(Path path) {
    return path.getParent().getFileName().toString().startsWith("port-");
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

  /** The slabs that a child keeps open; a process that may open them may truncate them. */
  Set<Path> slabs(Peer peer) throws IOException {
    try (Stream<Path> list = Files.list(Path.of("/proc/" + peer.pid() + "/fd"))) {
      return list.filter(this::isSlab).collect(Collectors.toCollection(HashSet::new));
    }
  }

  /** Whether a descriptor is that of a slab; one that was closed meanwhile is not. */
  boolean isSlab(Path descriptor) {
    try {
      String target = Files.readSymbolicLink(descriptor).toString();
      return target.startsWith(directory().toString()) && target.contains("/slab-");
    } catch (IOException e) {
      return false;
    }
  }

  /** How many streams of all children have lost a link so far. */
  int failovers() throws IOException {
    int n = 0;
    for (String totals : ProcessInspector.ask(directory().toString(), "totals")) {
      n += ProcessStatus.parse(totals).map(p -> (int) p.number("failovers")).orElse(0);
    }
    return n;
  }

  /**
   * The only stream of a child. A process cannot be asked before its first stream is eligible for
   * an offer, and one that has no core at the moment may need more than one question.
   */
  StreamLine stream(Peer peer) {
    return soon()
        .alias("the only stream of process " + peer.pid())
        .until(() -> streams(peer), lines -> lines.size() == 1)
        .getFirst();
  }

  static ConditionFactory soon() {
    return await().pollInterval(Duration.ofMillis(10));
  }

  /**
   * Exchanges messages on a channel to an echo until all streams of both are on the ring, and then
   * some more: what went there before may have been a single byte.
   */
  void upgrade(Peer client, String channel) throws Exception {
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    List<StreamLine> now;
    do {
      client.ask("exchange " + channel + " 20 2000 1");
      now = streams();
      if (!now.isEmpty() && now.stream().allMatch(StreamLine::onRing)) {
        client.ask("exchange " + channel + " 20 2000 1");
        return;
      }
    } while (System.nanoTime() - end < 0);
    throw new AssertionError("not on the ring, whatever was exchanged: " + now);
  }

  /**
   * As {@link #upgrade}, for the channels of a {@code connectMany}, which are all that the client
   * has.
   *
   * @param channels their names, but for the numbers from 0 on
   * @param bytes of each of the messages
   */
  void upgradeAll(Peer client, String channels, int count, int bytes) {
    soon()
        .untilAsserted(() -> {
          for (int i = 0; i < count; i++) {
            client.ask("exchange " + channels + i + " 4 " + bytes + " " + i);
          }
          assertThat(streams(client)).hasSize(count).allMatch(StreamLine::onRing);
        });
  }

  /**
   * Sends a few bytes both ways over the only stream of two children, until both ends are on the
   * ring: each direction switches at its next write.
   */
  void toTheRing(Peer client, String channel, Peer server, String accepted) {
    soon()
        .alias("both ends of " + channel + " are on the ring")
        .until(() -> {
          client.ask("write " + channel + " 10 1");
          server.ask("read " + accepted + " 10 1");
          server.ask("write " + accepted + " 10 1");
          client.ask("read " + channel + " 10 1");
          List<StreamLine> here = streams(client);
          List<StreamLine> there = streams(server);
          return here.size() == 1
              && there.size() == 1
              && here.getFirst().onRing()
              && there.getFirst().onRing();
        });
  }

  /**
   * Repeats what the only stream of a client does until the ring carries most of it. A ring that is
   * still to grow may overflow where a reader is kept off its core, and the direction then stays
   * away for a while: no amount of one run is sure.
   *
   * @param command of the client
   * @param bytes that it moves over the ring at least, both ways together, if nothing overflows
   */
  void carry(Peer client, String command, long bytes) throws Exception {
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    long ring;
    long plain;
    do {
      StreamLine before = stream(client);
      client.ask(command);
      StreamLine after = stream(client);
      ring = after.ringBytes() - before.ringBytes();
      plain = after.plainBytes() - before.plainBytes();
      if (ring >= bytes && plain < ring / 10) {
        return;
      }
    } while (System.nanoTime() - end < 0);
    throw new AssertionError(ring + " bytes over the ring and " + plain + " over TCP: " + command);
  }

  /**
   * Lets a process talk to itself over the ring, so that whatever a program opens once is open,
   * whichever peer it talks to later. No thread of its own is left.
   */
  void warm(Peer peer) throws Exception {
    peer.ask("connect warm-client " + peer.port("warm"));
    peer.ask("accept warm warm-server");
    soon()
        .until(() -> {
          peer.ask("write warm-client 10 1");
          peer.ask("read warm-server 10 1");
          peer.ask("write warm-server 10 1");
          peer.ask("read warm-client 10 1");
          List<StreamLine> its = streams(peer);
          return its.size() == 2 && its.stream().allMatch(StreamLine::onRing);
        });
    peer.ask("close warm-client");
    peer.ask("close warm-server");
    peer.ask("unlisten warm");
    soon().until(() -> streams(peer).isEmpty());
  }

  /** Waits until a process holds again what it held, and says what it holds too much. */
  void awaitCensus(Peer peer, Census before) {
    soon().untilAsserted(() -> assertThat(Census.of(peer, home)).isEqualTo(before));
  }

  /**
   * What a process holds, once that has been the same for a while: sessions and threads whose work
   * is done go soon, but by themselves.
   */
  Census census(Peer peer) throws Exception {
    Census census = Census.of(peer, home);
    for (int same = 0; same < 10; ) {
      Thread.sleep(10);
      Census next = Census.of(peer, home);
      same = next.equals(census) ? same + 1 : 0;
      census = next;
    }
    return census;
  }

  /** Waits for an end of stream that has to come within one second. */
  static String endWithinOneSecond(Peer survivor, CompletableFuture<String> reading)
      throws Exception {
    return survivor.okWithinOneSecond(reading, "the end of the stream");
  }

  /** The counters of a process, as {@code slipstream ps --totals --json} says them. */
  Map<String, Long> totals(Peer peer) throws Exception {
    for (String answer : ProcessInspector.ask(directory().toString(), "totals")) {
      Map<String, Long> all = new HashMap<>();
      ProcessStatus.parse(answer)
          .orElseThrow()
          .members()
          .forEach((name, value) -> {
            if (value instanceof Long number) {
              all.put(name, number);
            }
          });
      if (all.get("pid") == peer.pid()) {
        return all;
      }
    }
    throw new AssertionError("process " + peer.pid() + " did not answer");
  }
}
