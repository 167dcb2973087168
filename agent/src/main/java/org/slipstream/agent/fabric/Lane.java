package org.slipstream.agent.fabric;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Reason;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.SelectorProviders;

/**
 * One way for bytes at the end that checks: a connection whose installation has one transport, or
 * none. One thread; a watchdog may close it.
 */
final class Lane implements Closeable {
  /** No later exchange changes these. */
  private static final Set<Reason> FINAL =
      EnumSet.of(
          Reason.NO_TRANSPORT,
          Reason.PEER_NO_MEMORY,
          Reason.PEER_VERSION,
          Reason.PEER_FORBIDS,
          Reason.KEY_MISMATCH,
          Reason.RULE,
          Reason.DISABLED);

  /** Of messages, in bytes. */
  static final int[] SIZES = {64, 1024, Traffic.MAX_SIZE};

  private final String name;
  private final @Nullable Installation installation;
  private final SocketChannel channel;
  private final Traffic traffic;
  private final List<Latencies> latencies = new ArrayList<>();
  private double rates;
  private int turns;
  private @Nullable StreamStatus settled;
  private @Nullable String broken;

  /**
   * Not connected yet.
   *
   * @param name of the transport, or {@code tcp}
   * @param installation whose channel it is; null = a channel of the JDK
   * @param jdk the installation that knows the JDK's own provider
   * @throws IOException no descriptors, for example
   */
  Lane(String name, @Nullable Installation installation, Installation jdk) throws IOException {
    this.name = name;
    this.installation = installation;
    this.channel =
        installation == null
            ? jdk.jdk().openSocketChannel()
            : SelectorProviders.of(installation).openSocketChannel();
    this.traffic = new Traffic(channel);
    for (int ignored : SIZES) {
      latencies.add(new Latencies());
    }
  }

  String name() {
    return name;
  }

  boolean isTcp() {
    return installation == null;
  }

  SocketChannel channel() {
    return channel;
  }

  void connect(InetSocketAddress server, int millis) throws IOException {
    channel.socket().connect(server, millis);
  }

  // -- joining ---------------------------------------------------------------------------------

  /** Whether both directions are on the link by now, and have used it. */
  boolean isCarried() {
    StreamStatus status = Installation.status(channel);
    boolean carried =
        status != null
            && status.isAccelerated()
            && status.ringBytesIn() > 0
            && status.ringBytesOut() > 0;
    if (carried) {
      settled = status;
    }
    return carried;
  }

  Reason reason() {
    StreamStatus status = Installation.status(channel);
    return status == null ? Reason.DISABLED : status.reason();
  }

  /** Whether there is no use in more exchanges. Shared memory finds its peer at once or never. */
  boolean staysPlain() {
    Reason reason = reason();
    return FINAL.contains(reason) || (name.equals("shm") && reason == Reason.PEER_NOT_ACCELERATED);
  }

  void warmUp(long nanos) throws IOException {
    traffic.echo(SIZES[0], nanos, new Latencies());
  }

  // -- measuring -------------------------------------------------------------------------------

  /**
   * One turn of round trips.
   *
   * @param size which of {@link #SIZES}
   * @param counts false to warm up
   */
  void echo(int size, long nanos, boolean counts) throws IOException {
    traffic.echo(SIZES[size], nanos, counts ? latencies.get(size) : new Latencies());
  }

  void stream(long nanos, boolean counts) throws IOException {
    double rate = traffic.stream(Traffic.MAX_SIZE, nanos);
    if (counts) {
      rates += rate;
      turns++;
    }
  }

  boolean isBroken() {
    return broken != null;
  }

  void broke(String why) {
    broken = why;
    Watchdog.closeQuietly(channel);
  }

  /** What went wrong while it was measured; null if nothing did. */
  @Nullable String fault() {
    StreamStatus before = settled;
    StreamStatus now = Installation.status(channel);
    if (broken != null || before == null || now == null) {
      return broken;
    }
    long ring = now.ringBytesOut() - before.ringBytesOut();
    long plain = now.plainBytesOut() - before.plainBytesOut();
    return ring >= plain
        ? null
        : "most bytes went by TCP, although there was a link: "
            + now.reason()
            + ": "
            + now.reason().advice();
  }

  FabricOutcome.Figures figures() {
    List<FabricOutcome.Cell> cells = new ArrayList<>();
    for (int i = 0; i < SIZES.length; i++) {
      Latencies l = latencies.get(i);
      cells.add(new FabricOutcome.Cell(SIZES[i], l.percentile(50), l.percentile(99), l.count()));
    }
    return new FabricOutcome.Figures(cells, turns == 0 ? 0 : rates / turns);
  }

  /** In words; an exception of a watchdog's close has none. */
  static String words(IOException e) {
    return e instanceof ClosedChannelException || e.getMessage() == null
        ? "no answer in time"
        : e.getMessage();
  }

  @Override
  public void close() {
    Watchdog.closeQuietly(channel);
    SlipstreamCore core = installation == null ? null : installation.unwrap(SlipstreamCore.class);
    if (core != null) {
      core.stop();
    }
  }
}
