package org.slipstream.agent.fabric;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.agent.fabric.FabricOutcome.State;
import org.slipstream.agent.fabric.FabricOutcome.Way;
import org.slipstream.core.api.Reason;
import org.slipstream.provider.nio.Installation;
import org.slipstream.transport.Transport;

/**
 * The end of a check that asks: joins the other end over each transport that both have, and
 * measures all of them and TCP in turns, so that what disturbs the machines disturbs each alike.
 */
final class FabricCheck implements Closeable {
  private static final int TURNS = 4;

  /** Of the time that is measured, before it. */
  private static final double WARM_UP = 0.4;

  private static final int CONNECT_MS = 10_000;
  private static final int ANSWER_SECONDS = 20;

  /** For a program of others. */
  private static final int TOOL_SECONDS = 30;

  /** Beyond what a turn is meant to take. */
  private static final int TURN_SECONDS = 30;

  /** To join a peer; a search in the network is repeated after five seconds. */
  private static final long SETTLE_NS = TimeUnit.SECONDS.toNanos(15);

  private static final long SETTLE_TURN_NS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long BUSY_NS = TimeUnit.SECONDS.toNanos(60);

  private final String host;
  private final int port;
  private final HostReport here;
  private final Properties settings;
  private final double seconds;
  private final Consumer<String> progress;
  private final Installation none;
  private final Watchdog watchdog = new Watchdog();
  private final List<Lane> lanes = new ArrayList<>();
  private @Nullable SocketChannel control;

  /**
   * Prepares one.
   *
   * @param host the other end
   * @param port of its {@link FabricServer}
   * @param here this end
   * @param settings of the installations
   * @param seconds to measure, for each size and way
   * @param progress told what is under way
   */
  FabricCheck(
      String host,
      int port,
      HostReport here,
      Properties settings,
      double seconds,
      Consumer<String> progress) {
    this.host = host;
    this.port = port;
    this.here = here;
    this.settings = settings;
    this.seconds = seconds;
    this.progress = progress;
    this.none = Installation.create(settings, List.of());
  }

  /**
   * Runs.
   *
   * @return what was found
   * @throws IOException there is no check to be had with the other end; the message says why
   */
  FabricOutcome run() throws IOException {
    InetSocketAddress server = new InetSocketAddress(host, port);
    if (server.isUnresolved()) {
      throw new IOException("the name " + host + " has no address here");
    }
    Message welcome = begin(server);
    HostReport there = HostReport.parse(welcome.lines());
    List<Way> ways = new ArrayList<>();
    Lane tcp = join(server, welcome.argument(), FabricOutcome.TCP, null);
    for (HostReport.TransportReport transport : here.transports()) {
      ways.add(way(server, welcome.argument(), transport, there));
    }
    measure();
    ways.replaceAll(this::withFigures);
    ways.addFirst(new Way(FabricOutcome.TCP, State.CARRIES, "", tcp.figures()));
    return new FabricOutcome(host + ":" + port, here, there, ways);
  }

  // -- the connection of the questions ---------------------------------------------------------

  /** One client at a time is served: waits for another one's end. */
  private Message begin(InetSocketAddress server) throws IOException {
    long end = System.nanoTime() + BUSY_NS;
    while (true) {
      Message answer = hello(server);
      if (!answer.verb().equals("busy")) {
        if (answer.verb().equals("welcome")) {
          return answer;
        }
        throw new IOException(
            name() + " is no server of the check: start 'slipstream fabric serve' there");
      }
      if (System.nanoTime() - end >= 0) {
        throw new IOException(name() + " is checked by another host; try again later");
      }
      progress.accept("another host checks " + name() + ", waiting");
      pause(1000);
    }
  }

  private Message hello(InetSocketAddress server) throws IOException {
    progress.accept("connecting to " + name());
    SocketChannel channel = none.jdk().openSocketChannel();
    control = channel;
    try {
      channel.socket().connect(server, CONNECT_MS);
    } catch (IOException e) {
      Watchdog.closeQuietly(channel);
      throw new IOException(
          "no connection to "
              + name()
              + " ("
              + e.getMessage()
              + "): start 'slipstream fabric serve' there, and let the port through firewalls",
          e);
    }
    Future<?> late = watchdog.closeAfter(ANSWER_SECONDS, channel);
    try {
      Message.of("hello").send(channel);
      return Message.read(channel);
    } catch (Message.VersionException e) {
      throw new IOException(name() + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw new IOException(
          "TCP reaches "
              + name()
              + ", but no 'slipstream fabric serve' answers there ("
              + Lane.words(e)
              + "): start it, or name its port",
          e);
    } finally {
      late.cancel(false);
    }
  }

  private String name() {
    return host + ":" + port;
  }

  /** What the other end says of a stream that stays plain. */
  private String why(String transport) throws IOException {
    return ask("why", transport).argument();
  }

  private Message ask(String question, String argument) throws IOException {
    SocketChannel channel = Objects.requireNonNull(control);
    Future<?> late = watchdog.closeAfter(ANSWER_SECONDS, channel);
    try {
      Message.of(question, argument).send(channel);
      return Message.read(channel);
    } finally {
      late.cancel(false);
    }
  }

  /**
   * Runs the programs of others that both ends have, one after the other, if the server allows it.
   *
   * @param outcome of this check
   * @param tools of this machine
   * @return what came of each; none if the server was not told that it may run them
   * @throws IOException the server is gone
   */
  List<Beside> beside(FabricOutcome outcome, VendorTools tools) throws IOException {
    List<Beside> all = new ArrayList<>();
    HostReport there = outcome.there();
    if (!there.fact(HostReport.BESIDE).equals(HostReport.YES)) {
      progress.accept("the other end runs no programs for others: 'fabric serve --beside' does");
      return all;
    }
    for (VendorTools.Program program : tools.programs(here, there, host)) {
      List<String> command = tools.installed(program.here()).orElseThrow();
      String words = String.join(" ", program.here());
      progress.accept(words);
      Message answer = ask("tool", program.name() + " " + VendorTools.node(here, ""));
      all.add(
          answer.verb().equals("started")
              ? measured(program.name(), words, command)
              : new Beside(words, false, "not there: " + answer.argument(), List.of()));
    }
    return all;
  }

  private static Beside measured(String name, String words, List<String> command) {
    try (ToolRun run = ToolRun.start(command)) {
      boolean ended = run.endsWithin(TimeUnit.SECONDS.toMillis(TOOL_SECONDS));
      boolean passed = ended && run.code() == 0;
      String result = VendorTools.result(name, run.lines());
      String why =
          passed ? "" : ended ? "ended with " + run.code() + ": " : "did not end in time: ";
      return new Beside(words, passed, why + result, run.lines());
    } catch (IOException e) {
      return new Beside(words, false, String.valueOf(e.getMessage()), List.of());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Beside(words, false, "interrupted", List.of());
    }
  }

  // -- joining ---------------------------------------------------------------------------------

  private Way way(
      InetSocketAddress server,
      String token,
      HostReport.TransportReport transport,
      HostReport there)
      throws IOException {
    String name = transport.name();
    HostReport.TransportReport other = there.transport(name);
    if (!transport.available() || !other.available()) {
      String why =
          (transport.available() ? "" : "not here: " + transport.reason())
              + (transport.available() || other.available() ? "" : "; ")
              + (other.available() ? "" : "not there: " + other.reason());
      return new Way(name, State.MISSING, why, null);
    }
    boolean oneKernel = here.isOnOneKernelWith(there);
    if (name.equals("shm") && !oneKernel) {
      return new Way(
          name, State.NOT_FOR_THIS, "joins processes of one host, and these are two", null);
    }
    Lane lane = join(server, token, name, installation(name));
    if (settle(lane)) {
      return new Way(name, State.CARRIES, "", null);
    }
    Reason reason = lane.reason();
    String said = why(name);
    lanes.remove(lane);
    lane.close();
    if (oneKernel && !name.equals("shm") && reason == Reason.NO_TRANSPORT) {
      return new Way(
          name,
          State.NOT_FOR_THIS,
          "is not used between the loopback addresses of one host; name an address of the fabric",
          null);
    }
    String theirs = said.isEmpty() || said.startsWith(reason + ":") ? "" : "; there: " + said;
    return new Way(name, State.DOES_NOT_JOIN, reason + ": " + reason.advice() + theirs, null);
  }

  private Installation installation(String name) throws IOException {
    for (Transport transport : ServiceLoader.load(Transport.class)) {
      if (transport.name().equals(name)) {
        return Installation.create(settings, List.of(transport));
      }
    }
    throw new IOException("there is no transport " + name);
  }

  private Lane join(
      InetSocketAddress server, String token, String name, @Nullable Installation installation)
      throws IOException {
    Lane lane = new Lane(name, installation, none);
    lanes.add(lane);
    Future<?> late = watchdog.closeAfter(ANSWER_SECONDS, lane.channel());
    try {
      lane.connect(server, CONNECT_MS);
      Message.of("join", token + " " + name).send(lane.channel());
      Message answer = Message.read(lane.channel());
      if (!answer.verb().equals("ok")) {
        throw new IOException(answer.argument());
      }
      return lane;
    } catch (IOException e) {
      throw new IOException(name() + " does not take part any more: " + Lane.words(e), e);
    } finally {
      late.cancel(false);
    }
  }

  /** Exchanges messages until both directions are on the link; false if they stay on TCP. */
  private boolean settle(Lane lane) throws IOException {
    progress.accept(lane.name() + ": joining");
    long end = System.nanoTime() + SETTLE_NS;
    while (!lane.isCarried()) {
      if (lane.staysPlain() || System.nanoTime() - end >= 0) {
        return false;
      }
      attempt(lane, () -> lane.warmUp(SETTLE_TURN_NS));
      if (lane.isBroken()) {
        return true; // and its fault is told with the figures
      }
      pause(5);
    }
    return true;
  }

  private static void pause(long millis) throws IOException {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  // -- measuring -------------------------------------------------------------------------------

  /** What may break a lane. */
  private interface Step {
    void run() throws IOException;
  }

  private void measure() throws IOException {
    for (int size = 0; size < Lane.SIZES.length; size++) {
      progress.accept("round trips of " + Lane.SIZES[size] + " bytes");
      int which = size;
      turns((lane, nanos, counts) -> lane.echo(which, nanos, counts));
    }
    progress.accept("one way");
    turns(Lane::stream);
  }

  /** A piece of measuring. */
  private interface Turn {
    void run(Lane lane, long nanos, boolean counts) throws IOException;
  }

  private void turns(Turn turn) throws IOException {
    long nanos = (long) (seconds * 1e9);
    for (Lane lane : lanes) {
      attempt(lane, () -> turn.run(lane, (long) (nanos * WARM_UP), false));
    }
    for (int i = 0; i < TURNS; i++) {
      for (Lane lane : lanes) {
        attempt(lane, () -> turn.run(lane, nanos / TURNS, true));
      }
    }
  }

  /** A lane may break while the other end lives: the others go on. */
  private void attempt(Lane lane, Step step) throws IOException {
    if (lane.isBroken()) {
      return;
    }
    Future<?> late = watchdog.closeAfter(TURN_SECONDS + (long) seconds, lane.channel());
    try {
      step.run();
    } catch (IOException e) {
      lane.broke(Lane.words(e));
      try {
        why(lane.name());
      } catch (IOException gone) {
        throw new IOException(
            name() + " went away while " + lane.name() + " was measured: " + Lane.words(e), e);
      }
      if (lane.isTcp()) {
        throw new IOException("plain TCP to " + name() + " broke: " + Lane.words(e), e);
      }
    } finally {
      late.cancel(false);
    }
  }

  private Way withFigures(Way way) {
    for (Lane lane : lanes) {
      if (lane.name().equals(way.name())) {
        String fault = lane.fault();
        return fault == null
            ? new Way(way.name(), State.CARRIES, "", lane.figures())
            : new Way(way.name(), State.BROKE, fault, null);
      }
    }
    return way;
  }

  @Override
  public void close() {
    lanes.forEach(Lane::close);
    SocketChannel channel = control;
    if (channel != null) {
      Watchdog.closeQuietly(channel);
    }
    watchdog.close();
  }
}
