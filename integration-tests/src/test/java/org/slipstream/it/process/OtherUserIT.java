package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;

/**
 * Another user of the machine cannot attach to, read, stall or crash the streams of this one, not
 * even if the directory's mode lets every user in. It is told every name that there is: it need not
 * guess.
 */
class OtherUserIT {
  private static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

  /** The shortest flood in milliseconds; not a wait for something. */
  private static final long FLOOD_MS = 1_000;

  /** More streams than a slab has slots. */
  private static final int MANY = 100;

  @RegisterExtension final Children children = new Children();

  private Peer server;
  private Peer client;
  private int port;
  private List<Path> sockets;
  private StreamLine first;
  private Census before;
  private PublicCopy copy;

  @AfterEach
  void removeCopy() throws IOException {
    copy.close();
  }

  @BeforeEach
  void streamsOfTheOneUser() throws Exception {
    copy = new PublicCopy();
    List<String> probe = new ArrayList<>(AS_NOBODY);
    probe.addAll(List.of("test", "-r", copy.classes(), "-a", "-x", Children.JAVA));
    try {
      require(
          new ProcessBuilder(probe).start().waitFor() == 0,
          "a JDK and a folder for temporary files that another user can read");
    } catch (IOException e) {
      require(false, "there is no setpriv: " + e.getMessage());
    }
    List<Peer> pair = children.acceleratedPair();
    server = pair.get(0);
    client = pair.get(1);
    port = server.echo("l");
    client.ask("connect c " + port);
    children.upgrade(client, "c");
    sockets = Census.files(children.directory()).stream().filter(p -> p.endsWith("ctl")).toList();
    assertThat(sockets).hasSize(2);
    assertThat(client.streams()).hasSize(1);
    first = client.streams().getFirst();
    before = children.census(server);
  }

  @Test
  void theDirectoryKeepsAnotherUserOut() throws Exception {
    List<String> said = attack(slabsWithNames());
    assertThat(results(said, "list")).containsOnly("denied").hasSize(3);
    assertThat(results(said, "greet")).containsOnly("denied");
    assertThat(results(said, "flood")).containsOnly("denied");
    assertNothingGained(said);
    Peer late = children.accelerated();
    newStreamIsUpgraded(late, "late", 0);
    assertThat(late.end()).isZero();
    assertThat(late.errors()).isEmpty();
  }

  @Test
  void theKernelTellsAnotherUserApartWhereTheDirectoryIsOpen() throws Exception {
    final List<Path> slabs = slabsWithNames();
    for (Path path : Census.files(children.home())) {
      if (!slabs.contains(path)) {
        Files.setPosixFilePermissions(
            path,
            PosixFilePermissions.fromString(Files.isDirectory(path) ? "rwxr-xr-x" : "rwxrwxrwx"));
      }
    }
    Files.setPosixFilePermissions(children.home(), PosixFilePermissions.fromString("rwxr-xr-x"));
    List<String> said = attack(slabs);
    // Names are no secret; what counts is which user may talk.
    assertThat(said).anyMatch(l -> l.startsWith("list " + children.directory() + " ["));
    said.removeIf(l -> l.startsWith("list " + children.directory() + " "));
    assertThat(results(said, "greet")).containsOnly("shown-out");
    assertThat(results(said, "ask-streams")).containsOnly("shown-out");
    assertThat(results(said, "ask-rules")).containsOnly("shown-out");
    assertThat(results(said, "crowd")).containsOnly("shown-out");
    assertThat(results(said, "flood")).containsOnly("shown-out");
    assertNothingGained(said);
  }

  // -- targets ---------------------------------------------------------------------------------

  /**
   * A slab has a name until its peer has mapped it. This peer is stopped, so that the names of some
   * stay.
   */
  private List<Path> slabsWithNames() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    Peer stopped = pair.get(0);
    Peer waiting = pair.get(1);
    int itsPort = stopped.echo("l");
    waiting.ask("connect first " + itsPort);
    Children.soon()
        .until(() -> {
          waiting.ask("exchange first 20 2000 1");
          List<StreamLine> its = waiting.streams();
          return its.size() == 1 && its.getFirst().onRing();
        });
    stopped.stop();
    waiting.ask("connectMany m " + itsPort + " " + MANY);
    for (int i = 0; i < MANY; i++) {
      waiting.ask("write m" + i + " 10 1");
      waiting.ask("write m" + i + " 10 1");
    }
    Children.soon().until(() -> !slabs().isEmpty());
    return slabs();
  }

  private List<Path> slabs() {
    return Census.files(children.directory()).stream()
        .filter(p -> p.getFileName().toString().startsWith("slab-"))
        .toList();
  }

  /** Links of a process below {@code /proc}: its descriptors, or its mappings of slabs. */
  private static List<String> links(Peer peer, String kind, String target) throws IOException {
    List<String> links = new ArrayList<>();
    try (Stream<Path> all = Files.list(Path.of("/proc/" + peer.pid() + "/" + kind))) {
      for (Path link : all.toList()) {
        if (Files.readSymbolicLink(link).toString().startsWith(target)) {
          links.add(link.toString());
        }
      }
    }
    return links;
  }

  /** Everything that has a name, for a user that may use it. */
  private Path targets(List<Path> slabs) throws IOException {
    List<String> mapped = links(server, "map_files", children.directory().toString());
    assertThat(mapped).as("slabs that the server has mapped").isNotEmpty();
    List<String> descriptors = links(server, "fd", "");
    assertThat(descriptors).isNotEmpty();
    assertThat(slabs).isNotEmpty();
    List<String> all = new ArrayList<>(mapped);
    all.addAll(descriptors);
    slabs.forEach(slab -> all.add(slab.toString()));
    sockets.forEach(ctl -> all.add("ctl " + ctl));
    return copy.write("targets", all);
  }

  // -- the attack ------------------------------------------------------------------------------

  /** What the other user says it got, while the one user's stream is busy. */
  private List<String> attack(List<Path> slabs) throws Exception {
    List<String> command = new ArrayList<>(AS_NOBODY);
    command.addAll(List.of(Children.JAVA, "-cp", copy.classes()));
    command.addAll(
        List.of(
            OtherUserProgram.class.getName(),
            children.directory().toString(),
            Long.toString(server.pid()),
            Integer.toString(port),
            targets(slabs).toString(),
            Long.toString(FLOOD_MS)));
    final CompletableFuture<String> busy = client.begin("load c 2000 1");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      List<String> output = new CopyOnWriteArrayList<>();
      CompletableFuture<@Nullable Void> ended =
          CompletableFuture.runAsync(() -> process.inputReader(UTF_8).lines().forEach(output::add));
      final StreamLine then = busiest();
      int grown = 0;
      int floods = 0;
      while (!ended.isDone()) {
        long sofar = busiest().ringOut();
        Children.soon().until(() -> busiest().ringOut() > sofar); // it never stalls
        grown++;
        if (results(output, "flooding").size() > floods) {
          newStreamsAreServed("flood" + floods);
          assertThat(results(output, "flood")).as("it is still flooded").hasSize(floods);
          floods++;
          process.getOutputStream().write('.');
          process.getOutputStream().flush();
        }
      }
      assertThat(floods).as("floods").isEqualTo(sockets.size());
      assertThat(grown).as("looks that saw it move during the attack").isGreaterThan(3);
      ownSlipstreamOfAnotherUser();
      StreamLine now = busiest();
      assertThat(now.onRing()).isTrue();
      assertThat(now.ringBytes() - then.ringBytes())
          .isGreaterThan(100_000)
          .isGreaterThan(10 * (now.plainBytes() - then.plainBytes()));
      assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
      List<String> said = new ArrayList<>(output);
      assertThat(said).as("the other user came to its end").endsWith("done - -");
      said.removeLast();
      said.removeIf(l -> l.startsWith("flooding "));
      assertThat(busy).isNotDone();
      client.ask("enough");
      assertThat(Integer.parseInt(client.ok(busy, "the load"))).isPositive();
      return said;
    } finally {
      process.destroyForcibly();
    }
  }

  /** The stream that is under attack, as its own process sees it. */
  private StreamLine busiest() throws Exception {
    List<StreamLine> lines =
        client.streams().stream().filter(s -> s.name().equals(first.name())).toList();
    assertThat(lines).hasSize(1);
    return lines.getFirst();
  }

  /**
   * One more of the session that is there leaves TCP. A process that comes now need not believe
   * what lies in a directory that is open to all: TCP serves it, and it says why.
   */
  private void newStreamsAreServed(String name) throws Exception {
    newStreamIsUpgraded(client, name, 1);
    Peer late = children.accelerated();
    late.ask("connect " + name + " " + port);
    late.ask("exchange " + name + " 20 2000 1");
    late.ask("close " + name);
    assertThat(late.end()).isZero();
    assertThat(late.errors())
        .hasSizeLessThan(2)
        .allMatch(line -> line.contains("others could look in; make it rwx------"));
  }

  /** Both directions of one more stream to the server leave TCP. */
  private void newStreamIsUpgraded(Peer from, String name, int others) throws Exception {
    from.ask("connect " + name + " " + port);
    Children.soon()
        .untilAsserted(() -> {
          from.ask("exchange " + name + " 20 2000 1");
          assertThat(from.streams())
              .hasSize(others + 1)
              .filteredOn(s -> !s.name().equals(first.name()))
              .hasSize(1)
              .allMatch(s -> s.onRing() && s.ringIn() > 10_000 && s.ringOut() > 10_000);
        });
    from.ask("close " + name);
    Children.soon()
        .untilAsserted(() -> {
          assertThat(from.streams()).hasSize(others);
          assertThat(server.streams()).filteredOn(StreamLine::onRing).hasSize(1);
        });
  }

  /** A program of the other user that is accelerated too talks with ours, over TCP. */
  private void ownSlipstreamOfAnotherUser() throws Exception {
    Peer other = children.launch(copy.command(children.acceleratedCommand(AS_NOBODY))).awaitReady();
    other.ask("connect c " + port);
    other.ask("exchange c 100 20000 1");
    server.ask("connect o " + other.echo("l"));
    server.ask("exchange o 100 20000 2");
    assertThat(server.streams()).filteredOn(StreamLine::onRing).hasSize(1);
    Children.soon() // a busy control thread has not looked for a peer of the stream yet
        .untilAsserted(() ->
            assertThat(server.streams())
                .filteredOn(s -> !s.onRing())
                .filteredOn(s -> s.plainBytes() > 100 * 5_000)
                .hasSize(2)
                .allMatch(s -> s.ringBytes() == 0)
                .extracting(StreamLine::reason)
                .containsExactlyInAnyOrder("NOT_YET_ELIGIBLE", "PEER_NOT_ACCELERATED"));
    server.ask("close o");
    other.end();
    assertThat(other.errors()).hasSize(1);
    // Of the stream or of the listener, whichever its threads came to first; once.
    assertThat(other.errors().getFirst())
        .containsPattern("(connected|accepted) streams stay on TCP");
  }

  private static List<String> results(List<String> said, String what) {
    return said.stream()
        .filter(l -> l.startsWith(what + " "))
        .map(l -> l.substring(l.lastIndexOf(' ') + 1))
        .toList();
  }

  private void assertNothingGained(List<String> said) throws Exception {
    assertThat(said)
        .as("attempts, and what came of them")
        .hasSizeGreaterThan(30)
        .allMatch(l -> l.matches(".* (denied|shown-out)|echo \\d+ echoed"));
    assertThat(results(said, "open-to-read")).hasSizeGreaterThan(10).containsOnly("denied");
    assertThat(results(said, "open-to-write")).hasSizeGreaterThan(10).containsOnly("denied");
    assertThat(results(said, "echo")).hasSize(20);
    long ring = busiest().ringOut();
    client.ask("exchange c 20 2000 1");
    assertThat(busiest().ringOut()).isGreaterThan(ring);
    newStreamIsUpgraded(client, "afterwards", 1);
    children.awaitCensus(server, before);
    assertThat(server.errors()).isEmpty();
    assertThat(server.foreignOutput()).isEmpty();
    assertThat(client.errors()).isEmpty();
  }
}
