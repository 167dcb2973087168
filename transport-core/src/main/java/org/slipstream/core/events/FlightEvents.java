package org.slipstream.core.events;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Reason;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;

/**
 * Says to the flight recorder what happens to streams. Ask {@link Recording#isOn} first: loading
 * this class loads all events. Any thread.
 */
public final class FlightEvents {
  /** Of streams that events have named: when a stream is closed, its TCP connection is already. */
  private record Ends(String local, String remote) {}

  private static final Map<Stream, Ends> KNOWN = Collections.synchronizedMap(new WeakHashMap<>());

  private FlightEvents() {}

  /** Initializes every event class, so that no thread waits for that later. */
  static void load() {
    new StreamOpenedEvent().isEnabled();
    new StreamCarrierEvent().isEnabled();
    StreamClosedEvent.isEnabled();
    new FailoverEvent().isEnabled();
    new OfferRefusedEvent().isEnabled();
    new SlowWaitEvent().isEnabled();
    new NativeTransportEvent().isEnabled();
    FlightRecorder.addPeriodicEvent(BuildEvent.class, BuildEvent::emit);
    new SessionEvent().isEnabled();
    FlightRecorder.addPeriodicEvent(
        SessionEvent.class, () -> RecordedSessions.all().forEach(FlightEvents::session));
  }

  /**
   * What a session with another process is.
   *
   * @param said members as tools get them
   */
  public static void session(Map<String, Object> said) {
    SessionEvent event = new SessionEvent();
    if (event.isEnabled()) {
      event.transport = word(said, "transport");
      event.peer = word(said, "peer");
      event.state = word(said, "state");
      event.device = word(said, "device");
      event.gid = word(said, "gid");
      event.address = word(said, "address");
      event.order = word(said, "order");
      event.mtu = number(said, "mtu");
      event.streams = number(said, "streams");
      event.pinnedBytes = number(said, "pinnedBytes");
      event.queueUsed = number(said, "queueUsed");
      event.queueSize = number(said, "queueSize");
      event.queueFull = number(said, "queueFull");
      event.completions = number(said, "completions");
      event.retries = number(said, "retries");
      event.zeroCopies = number(said, "zeroCopies");
      event.linksLost = number(said, "linksLost");
      event.linksReturned = number(said, "linksReturned");
      event.cause = word(said, "cause");
      event.commit();
    }
  }

  private static String word(Map<String, Object> said, String name) {
    return String.valueOf(said.getOrDefault(name, ""));
  }

  private static long number(Map<String, Object> said, String name) {
    return said.get(name) instanceof Long number ? number : 0;
  }

  /**
   * A stream was connected or accepted.
   *
   * @param stream which one
   */
  public static void opened(Stream stream) {
    StreamOpenedEvent event = new StreamOpenedEvent();
    if (event.isEnabled()) {
      name(event, stream);
      event.carrier = carrierOf(stream);
      event.reason = stream.status().reason().name();
      event.commit();
    }
  }

  /**
   * What carries a stream has changed, or was decided.
   *
   * @param stream which one
   */
  public static void carrier(Stream stream) {
    StreamCarrierEvent event = new StreamCarrierEvent();
    if (event.isEnabled()) {
      name(event, stream);
      Reason reason = stream.reason();
      StreamLink link = stream.link();
      event.carrier =
          reason == Reason.NONE && link != null ? link.session().transportName() : "tcp";
      event.reason = reason.name();
      event.advice = reason.advice();
      event.commit();
    }
  }

  /**
   * A stream was closed.
   *
   * @param stream which one
   */
  public static void closed(Stream stream) {
    if (StreamClosedEvent.isEnabled()) {
      Ends ends = KNOWN.computeIfAbsent(stream, FlightEvents::ends);
      StreamClosedEvent.commit(
          stream.status(), ends.local, ends.remote, role(stream), carrierOf(stream));
    }
    KNOWN.remove(stream);
  }

  /**
   * The link of a stream was lost.
   *
   * @param stream which one
   */
  public static void failedOver(Stream stream) {
    FailoverEvent event = new FailoverEvent();
    if (event.isEnabled()) {
      name(event, stream);
      StreamLink link = stream.link();
      event.carrier = link == null ? "tcp" : link.session().transportName();
      event.peer = link == null ? "" : String.valueOf(link.session().peer());
      event.commit();
    }
  }

  /**
   * A peer refused a stream.
   *
   * @param stream which one
   * @param why the reason
   */
  public static void refused(Stream stream, Reason why) {
    OfferRefusedEvent event = new OfferRefusedEvent();
    if (event.isEnabled()) {
      name(event, stream);
      event.reason = why.name();
      event.advice = why.advice();
      event.commit();
    }
  }

  /**
   * A reader or writer slept for long.
   *
   * @param stream which one
   * @param reading whether the reader slept
   * @param nanos how long
   */
  public static void slowWait(Stream stream, boolean reading, long nanos) {
    SlowWaitEvent event = new SlowWaitEvent();
    if (event.isEnabled()) {
      name(event, stream);
      event.carrier = carrierOf(stream);
      event.operation = reading ? "read" : "write";
      event.waited = nanos;
      event.commit();
    }
  }

  /**
   * Connections of a library pass the process's channels by.
   *
   * @param library its name
   * @param advice what to do about it
   */
  public static void nativeTransport(String library, String advice) {
    NativeTransportEvent event = new NativeTransportEvent();
    if (event.isEnabled()) {
      event.library = library;
      event.advice = advice;
      event.commit();
    }
  }

  private static String carrierOf(Stream stream) {
    StreamLink link = stream.link();
    return link != null && stream.status().isAccelerated() ? link.session().transportName() : "tcp";
  }

  private static void name(StreamEvent event, Stream stream) {
    Ends ends = KNOWN.computeIfAbsent(stream, FlightEvents::ends);
    event.local = ends.local;
    event.remote = ends.remote;
    event.role = role(stream);
  }

  private static String role(Stream stream) {
    return stream.isClient() ? "client" : "server";
  }

  private static Ends ends(Stream stream) {
    return new Ends(address(stream, true), address(stream, false));
  }

  private static String address(Stream stream, boolean local) {
    try {
      @Nullable SocketAddress a =
          local ? stream.tcp().getLocalAddress() : stream.tcp().getRemoteAddress();
      return a == null ? "" : a.toString();
    } catch (IOException e) {
      return "closed";
    }
  }
}
