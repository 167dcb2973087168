package org.slipstream.it.process;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.ntb.NtbSettings;
import org.slipstream.ntb.NtbTransport;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Requirement;

/**
 * Children that play nodes of one fabric: processes with a loopback SISCI library, a node id and an
 * address each, and with runtime directories of their own, so that they share no other memory.
 */
final class Nodes {
  /** The node of the test itself, which only causes faults. */
  private static final int OBSERVER = 400;

  private final Children children;
  private final Set<Path> directories = new LinkedHashSet<>();
  private final String variant;
  private final String stores;

  /** A file that both nodes map, in place of adapters; or null. */
  private final @Nullable Path window;

  private boolean twoWays;

  /** How this JVM takes part; null until it does. */
  private @Nullable SymbolLookup joined;

  /** What all nodes use. */
  Nodes(Children children, String variant, String stores) throws IOException {
    this.children = children;
    this.variant = variant;
    this.stores = stores;
    this.window = null;
    Requirement.require(Files.exists(library()), "a C compiler: " + library() + " was not built");
    Files.createDirectories(world());
    Files.writeString(hosts(), "127.0.0.1 4@0\n127.0.0.4 4@0\n127.0.0.8 8@0\n");
  }

  /** Two nodes that map one file. */
  Nodes(Children children, long windowBytes) throws IOException {
    this.children = children;
    this.variant = "none";
    this.stores = "direct";
    this.window = children.home().resolve("window");
    try (RandomAccessFile file = new RandomAccessFile(window.toFile(), "rw")) {
      file.setLength(windowBytes);
    }
    Files.writeString(hosts(), "127.0.0.4 4@" + window + "\n127.0.0.8 8@" + window + "\n");
  }

  /** Each node has a second adapter, on which it is another node; before a child starts. */
  Nodes withTwoWays() throws IOException {
    twoWays = true;
    Files.writeString(
        hosts(), "127.0.0.4 4@0 %d@1\n127.0.0.8 8@0 %d@1\n".formatted(second(4), second(8)));
    return this;
  }

  /** What a node is on its second adapter. */
  static int second(int node) {
    return node + 100;
  }

  private Path library() {
    return Path.of("..", "transport-ntb", "target", "loopback", "libsisci-" + variant + ".so")
        .toAbsolutePath()
        .normalize();
  }

  private Path world() {
    return children.home().resolve("world");
  }

  private Path hosts() {
    return children.home().resolve("hosts");
  }

  /** The address of a node. */
  static String address(int node) {
    return "127.0.0." + node;
  }

  /**
   * A JVM with the agent on a node. Its adapter's DMA engine is off unless a flag says otherwise:
   * one that has no core for 50 ms is given up with a warning, and tests run side by side. {@link
   * NtbDmaIT} has the engine.
   */
  Peer start(int node, String... flags) throws Exception {
    Path directory = children.home().resolve("run-" + node);
    directories.add(directory);
    List<String> all = new ArrayList<>(settings(node));
    all.add("-Dslipstream.dir=" + directory);
    all.addAll(List.of(flags));
    return children
        .launch(children.acceleratedCommand(environment(node), all.toArray(new String[0])))
        .awaitReady();
  }

  /** A program with a domain on a node, which finds others over the fabric only. */
  Peer startMemory(int node) throws Exception {
    List<String> command = new ArrayList<>(environment(node));
    command.addAll(List.of(Children.JAVA, "-XX:+UseSerialGC", "-Xmx128m"));
    command.addAll(settings(node));
    command.add("-Dslipstream.transports=ntb");
    command.addAll(List.of("-cp", Children.classes() + ":" + Children.JAR));
    command.addAll(
        List.of(MemoryProgram.class.getName(), children.home().resolve("run-" + node).toString()));
    return children.launch(command).awaitReady();
  }

  private List<String> settings(int node) {
    return List.of(
        "--enable-native-access=ALL-UNNAMED",
        "-Dslipstream.ntb.hosts=" + hosts(),
        window == null
            ? "-Dslipstream.ntb.library=" + library()
            : "-Dslipstream.ntb.node=" + node, // all of 127.0.0.0/8 is ours
        "-Dslipstream.ntb.key=trusted",
        "-Dslipstream.ntb.dma=off");
  }

  /** What two nodes map. */
  Path window() {
    return Objects.requireNonNull(window);
  }

  /** Before the command of a tool that plays a node. */
  List<String> environment(int node) {
    return List.of(
        "env",
        "SISCI_LOOPBACK_DIR=" + world(),
        "SISCI_LOOPBACK_NODES=" + (twoWays ? node + "," + second(node) : node),
        "SISCI_LOOPBACK_STORES=" + stores);
  }

  /** Options of {@code slipstream fabric} on a node. */
  List<String> fabricSettings(int node) {
    return List.of(
        "--set=dir=" + children.home().resolve("run-" + node),
        "--set=transports=ntb",
        "--set=ntb.hosts=" + hosts(),
        "--set=ntb.library=" + library(),
        "--set=ntb.key=trusted",
        "--set=ntb.dma=off");
  }

  /** This JVM becomes a node; before any fault. */
  NtbTransport joinAs(int node) {
    join(node);
    Properties settings = new Properties();
    settings.setProperty("slipstream.ntb.hosts", hosts().toString());
    settings.setProperty("slipstream.ntb.library", ownLibrary().toString());
    settings.setProperty("slipstream.ntb.key", "trusted");
    return new NtbTransport(NtbSettings.read(settings));
  }

  /** What {@code slipstream doctor} says on a node. */
  String doctor(int node) throws Exception {
    Process doctor =
        new ProcessBuilder(
                "env",
                "SISCI_LOOPBACK_DIR=" + world(),
                "SISCI_LOOPBACK_NODES=" + node,
                Children.JAVA,
                "-Dslipstream.dir=" + children.home().resolve("doctor"),
                "-Dslipstream.ntb.hosts=" + hosts(),
                "-Dslipstream.ntb.library=" + library(),
                "-Dslipstream.ntb.key=trusted",
                "-jar",
                Children.JAR.toString(),
                "doctor")
            .start();
    String said = new String(doctor.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    doctor.waitFor();
    return said;
  }

  /** Listens at the node's address and serves; returns the port. */
  int serve(Peer server, int node, String habit) throws Exception {
    String port = server.ask("listen l 0 " + address(node)).strip();
    server.ask("serve l " + habit);
    return Integer.parseInt(port);
  }

  /** All streams of all nodes. */
  List<StreamLine> streams() {
    List<StreamLine> all = new ArrayList<>();
    for (Path directory : directories) {
      try {
        all.addAll(
            StreamLine.parse(
                String.join(",", ProcessInspector.ask(directory.toString(), "streams"))));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return all;
  }

  /** Exchanges messages until so many streams are carried by the fabric, and then some more. */
  void upgrade(Peer client, String channel, int streams) throws Exception {
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    List<StreamLine> now;
    do {
      client.ask("exchange " + channel + " 20 2000 1");
      now = streams();
      if (now.size() == streams && now.stream().allMatch(s -> s.carrier().equals("ntb"))) {
        client.ask("exchange " + channel + " 20 2000 1");
        return;
      }
    } while (System.nanoTime() - end < 0);
    throw new AssertionError("not carried by ntb although there was traffic: " + now);
  }

  /** Repeats the traffic of a client until more of it goes over the ring than over TCP. */
  void carryMost(Peer client, String command) throws Exception {
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    StreamLine before;
    StreamLine after;
    do {
      before = only(client);
      client.ask(command);
      after = only(client);
      if (after.ringBytes() - before.ringBytes() > after.plainBytes() - before.plainBytes()) {
        return;
      }
    } while (System.nanoTime() - end < 0);
    throw new AssertionError("TCP carried most of it: " + before + ", " + after);
  }

  private StreamLine only(Peer peer) {
    return Children.soon()
        .until(
            () -> streams().stream().filter(s -> s.pid() == peer.pid()).toList(),
            lines -> lines.size() == 1)
        .getFirst();
  }

  /** Pulls the cable of a node, or puts it back. */
  void setLink(int node, boolean up) {
    fault("loopbackSetLink", node, up ? 1 : 0);
  }

  /** A node's driver takes all segments away that are at least so large. */
  void loseSegments(int node, int bytes) {
    fault("loopbackLoseLarge", node, bytes);
  }

  /** How many streams of all nodes have lost a link so far. */
  int failovers() throws IOException {
    return total("failovers");
  }

  /** The sum of a counter over all nodes. */
  int total(String counter) throws IOException {
    int n = 0;
    for (Path directory : directories) {
      for (String totals : ProcessInspector.ask(directory.toString(), "totals")) {
        n += ProcessStatus.parse(totals).map(p -> (int) p.number(counter)).orElse(0);
      }
    }
    return n;
  }

  /** After so many lines of data that arrive, so many vanish, on links that stay up. */
  void loseLines(int skip, int count) {
    fault("loopbackLoseLines", skip, count);
  }

  /** No sequence notices that. */
  @SuppressWarnings("restricted") // the test double is a C library
  void hideLosses() {
    try {
      Linker.nativeLinker()
          .downcallHandle(
              join(OBSERVER).findOrThrow("loopbackHideLosses"), FunctionDescriptor.ofVoid(JAVA_INT))
          .invokeExact(1);
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  /** So many sequence checks report a status of SISCI: 1 RETRIABLE, 2 NOT_RETRIABLE, 3 PENDING. */
  void failChecks(int status, int count) {
    fault("loopbackFailChecks", status, count);
  }

  /** How many lines have not been lost yet. */
  int linesToLose() {
    return ask("loopbackLinesToLose");
  }

  /** The bytes of the largest transfer that an engine was given since the last question. */
  int largestDma() {
    return ask("loopbackLargestDma");
  }

  @SuppressWarnings("restricted") // the test double is a C library
  private int ask(String function) {
    try {
      return (int)
          Linker.nativeLinker()
              .downcallHandle(join(OBSERVER).findOrThrow(function), FunctionDescriptor.of(JAVA_INT))
              .invokeExact();
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  @SuppressWarnings("restricted") // the test double is a C library
  private void fault(String function, int first, int second) {
    try {
      Linker.nativeLinker()
          .downcallHandle(
              join(OBSERVER).findOrThrow(function), FunctionDescriptor.ofVoid(JAVA_INT, JAVA_INT))
          .invokeExact(first, second);
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  /**
   * A copy of the library, for this fabric: each can join one in a process. It is a node in that.
   */
  @SuppressWarnings("restricted") // the test double is a C library
  private SymbolLookup join(int node) {
    if (joined != null) {
      return joined;
    }
    try (Arena arena = Arena.ofConfined()) {
      Files.copy(library(), ownLibrary());
      joined = SymbolLookup.libraryLookup(ownLibrary(), Arena.global());
      Linker.nativeLinker()
          .downcallHandle(
              joined.findOrThrow("loopbackConfigure"),
              FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_INT))
          .invokeExact(
              arena.allocateFrom(world().toString()),
              arena.allocateFrom(Integer.toString(node)),
              0);
      return joined;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  private Path ownLibrary() {
    return children.home().resolve("libsisci-own.so");
  }
}
