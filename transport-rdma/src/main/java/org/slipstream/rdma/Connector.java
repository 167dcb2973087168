package org.slipstream.rdma;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.cm.BoundId;
import org.slipstream.rdma.cm.CmEvent;
import org.slipstream.rdma.cm.CmId;
import org.slipstream.rdma.verbs.DeviceContext;
import org.slipstream.rdma.verbs.DeviceEvent;
import org.slipstream.rdma.verbs.ErrorNumbers;
import org.slipstream.rdma.verbs.HeldDevice;
import org.slipstream.transport.ProcessId;

/**
 * Connects and accepts by rdma_cm. Event thread only, but for {@link #execute}.
 *
 * <pre>
 *   connect:  ADDRESS_RESOLVED - ROUTE_RESOLVED - (queue pair) - ESTABLISHED
 *   accept:   CONNECT_REQUEST - (queue pair) - ESTABLISHED
 * </pre>
 *
 * Everything else ends the attempt, or the session.
 */
final class Connector implements EventThread.ConnectionEvents {
  private static final System.Logger LOG = System.getLogger("org.slipstream.rdma");

  /** For the address and for the route, each. */
  private static final int RESOLVE_MS = 1_000;

  /**
   * From the beginning to ESTABLISHED. rdma_cm alone may take minutes. No stream waits for it: a
   * peer that is just starting has its time.
   */
  private static final long CONNECT_NS = 30_000_000_000L;

  private final RdmaEndpoint endpoint;
  private final EventThread events;
  private final Map<Long, Attempt> attempts = new HashMap<>();
  private final Map<Long, RdmaSession> sessions = new HashMap<>();
  private final Map<ProcessId, RdmaSession> incoming = new HashMap<>();
  private final Listeners listeners;

  private final SilentIds silent;

  /** The endpoint is closed. */
  private boolean closed;

  private final DeviceWatches watches;

  /** A connect that is under way. */
  private static final class Attempt {
    final InetSocketAddress remote;
    final CmId id;

    /** Asks where iWARP listens. */
    final boolean iwarp;

    /** What we say. */
    final short greeting;

    @Nullable RdmaSession session;

    Attempt(InetSocketAddress remote, CmId id, boolean iwarp, short greeting) {
      this.remote = remote;
      this.id = id;
      this.iwarp = iwarp;
      this.greeting = greeting;
    }
  }

  /** Begins to open rdma_cm, on the event thread. */
  Connector(RdmaEndpoint endpoint) {
    this.endpoint = endpoint;
    this.events = new EventThread(this, this::deviceEvent);
    this.watches = new DeviceWatches(events);
    this.silent = new SilentIds(Connector::canSend, events::schedule);
    this.listeners =
        new Listeners(
            new ListenerFactory(events, endpoint.settings(), watches::add), events::schedule);
    events.start();
  }

  void execute(Runnable task) {
    events.execute(task);
  }

  private byte[] greeting(short answer) {
    return new Greeting(answer, endpoint.host().processId(), endpoint.settings().maxPathMtu())
        .bytes();
  }

  Listeners listeners() {
    return listeners;
  }

  // -- connecting ------------------------------------------------------------------------------

  void connect(InetSocketAddress remote) {
    resolve(remote, false, Greeting.HELLO);
  }

  private void resolve(InetSocketAddress remote, boolean iwarp, short greeting) {
    CmId id = null;
    try {
      id = new CmId(events.channel());
      if (iwarp) {
        id.resolveAddress(null, endpoint.settings().iwarp(remote), RESOLVE_MS);
      } else {
        SourcePorts.resolve(id, remote, RESOLVE_MS);
      }
      Attempt attempt = new Attempt(remote, id, iwarp, greeting);
      attempts.put(id.address(), attempt);
      events.schedule(
          CONNECT_NS,
          () -> {
            if (attempts.containsValue(attempt)) {
              unanswered(attempt, "no answer in time");
            }
          });
    } catch (IOException | RuntimeException | Error e) {
      if (id != null) {
        attempts.remove(id.address());
        id.close();
      }
      endpoint.nobodyAt(remote, String.valueOf(e.getMessage()), !(e instanceof IOException));
    }
  }

  /** There is no way, or none that is allowed. */
  private void fail(Attempt attempt, String why) {
    end(attempt, why, false);
  }

  /** There is a way, and a peer may answer another time. */
  private void unanswered(Attempt attempt, String why) {
    end(attempt, why, true);
  }

  private void end(Attempt attempt, String why, boolean mayComeLater) {
    attempts.remove(attempt.id.address());
    RdmaSession session = attempt.session;
    if (session != null) {
      session.end(why);
    } else {
      attempt.id.close();
    }
    endpoint.nobodyAt(attempt.remote, why, mayComeLater);
  }

  private void addressResolved(Attempt attempt) throws IOException {
    endpoint.settings().requireTransport(attempt.id.device());
    if (attempt.id.device().isIwarp() && !attempt.iwarp) {
      attempts.remove(attempt.id.address());
      attempt.id.close();
      resolve(attempt.remote, true, attempt.greeting);
      return;
    }
    int trafficClass = endpoint.settings().trafficClass();
    if (trafficClass >= 0) {
      attempt.id.trafficClass(trafficClass);
    }
    attempt.id.resolveRoute(RESOLVE_MS);
  }

  private void requireAllowed(CmId id) throws IOException {
    RdmaSettings settings = endpoint.settings();
    settings.requireTransport(id.device());
    if (!settings.allows(id.device().toString(), id.port())) {
      throw new IOException("its device is not among slipstream.rdma.ports");
    }
    if (!id.device().isIwarp()) {
      if (!settings.allowsGid(id.sourceGid())) {
        throw new IOException("its GID is not among slipstream.rdma.gids");
      }
      if (!settings.allowsPartition(id.partitionKey())) {
        throw new IOException("its P_Key is not among slipstream.rdma.pkeys");
      }
    }
  }

  private void routeResolved(Attempt attempt) throws IOException {
    requireAllowed(attempt.id);
    if (!canSend(attempt.id)) {
      unanswered(attempt, "its port is down"); // as in linkDown
      return;
    }
    watches.add(attempt.id);
    attempt.id.ackTimeout(endpoint.settings().ackTimeout());
    limitPathMtu(attempt.id, endpoint.settings().maxPathMtu());
    RdmaSession session = new RdmaSession(endpoint, events, attempt.id);
    session.ask();
    attempt.session = session;
    try {
      attempt.id.connect(greeting(attempt.greeting), endpoint.settings().retries());
    } catch (IOException e) { // of iWARP's TCP, e.g. nobody listens yet: there is no event
      unanswered(attempt, String.valueOf(e.getMessage()));
    }
  }

  /** What the connecting process says, and the accepting one does. */
  private static void limitPathMtu(CmId id, int limit) throws IOException {
    if (limit > 0 && !id.device().isIwarp()) {
      id.limitPathMtu(limit);
    }
  }

  private void connected(Attempt attempt, CmEvent event) throws IOException {
    RdmaSession session = attempt.session;
    if (session == null) {
      throw new IOException("connected without a queue pair");
    }
    Greeting peer = Greeting.read(event.privateData());
    attempts.remove(event.id());
    sessions.put(event.id(), session);
    session.established(peer.process());
    endpoint.connected(attempt.remote, session);
    session.answered();
  }

  private void rejected(Attempt attempt, CmEvent event) {
    ProcessId known = null;
    try {
      Greeting peer = Greeting.read(event.privateData());
      known = peer.answer() == Greeting.KNOWN ? peer.process() : null;
    } catch (IOException e) {
      LOG.log(Level.TRACE, "Nobody listens, or not one of us", e);
    }
    if (known == null) {
      unanswered(attempt, "rejected"); // its program may listen before it has said so here
      return;
    }
    attempts.remove(event.id());
    if (attempt.session != null) {
      attempt.session.end("the peer has a session already");
    }
    if (attempt.greeting != Greeting.LOST && hasLost(known)) {
      resolve(attempt.remote, attempt.iwarp, Greeting.LOST);
    } else {
      endpoint.isKnown(attempt.remote, known);
    }
  }

  /**
   * We know of no session with it, and none is just being made: ours ended, and the peer has not
   * heard of it, because the goodbye was lost.
   */
  private boolean hasLost(ProcessId process) {
    return attempts.values().stream().allMatch(a -> a.session == null)
        && sessions.values().stream()
            .filter(s -> !incoming.containsValue(s))
            .noneMatch(s -> s.peer().equals(process));
  }

  // -- accepting -------------------------------------------------------------------------------

  private void requested(CmEvent event) {
    CmId id = new CmId(event.id());
    RdmaSession session = null;
    try {
      Greeting peer = Greeting.read(event.privateData());
      requireAllowed(id);
      RdmaSession before = incoming.get(peer.process());
      if (before != null && peer.answer() == Greeting.LOST) {
        before.end("the peer has lost the session");
      } else if (before != null) {
        id.reject(greeting(Greeting.KNOWN));
        id.close();
        return;
      }
      watches.add(id);
      id.ackTimeout(endpoint.settings().ackTimeout());
      limitPathMtu(id, peer.maxPathMtu());
      session = new RdmaSession(endpoint, events, id);
      session.acceptedFrom(peer.process());
      sessions.put(event.id(), session);
      incoming.put(peer.process(), session);
      id.accept(greeting(Greeting.HELLO), endpoint.settings().retries());
    } catch (IOException | RuntimeException | Error e) {
      LOG.log(Level.DEBUG, "A request is not accepted", e);
      if (session != null) {
        session.end(String.valueOf(e.getMessage()));
      } else {
        reject(id);
      }
    }
  }

  private static void reject(CmId id) {
    try {
      id.reject(new byte[] {0});
    } catch (IOException e) {
      LOG.log(Level.TRACE, "The peer is gone", e);
    }
    id.close();
  }

  // -- the end ---------------------------------------------------------------------------------

  /** Nobody connects any more, here or there; what is open comes to its end by itself. */
  void close() {
    closed = true;
    listeners.unlistenAll();
  }

  @Override
  public boolean isOver() {
    return closed && attempts.isEmpty() && sessions.isEmpty() && silent.isEmpty();
  }

  @Override
  public void ending() {
    watches.close();
  }

  // -- events ----------------------------------------------------------------------------------

  @Override
  public void lost(String why) {
    endpoint.fail(new IOException(why));
    endSessions(id -> true, why);
    listeners.unlistenAll();
  }

  @Override
  public void event(CmEvent event) {
    LOG.log(Level.TRACE, () -> "rdma_cm: " + event);
    if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
      requested(event);
      return;
    }
    if (event.type() == CmEvent.Type.DEVICE_REMOVAL) {
      allIds().filter(id -> id.address() == event.id()).findAny().ifPresent(this::deviceRemoved);
      return;
    }
    Attempt attempt = attempts.get(event.id());
    if (attempt != null) {
      try {
        attemptEvent(attempt, event);
      } catch (IOException e) {
        fail(attempt, String.valueOf(e.getMessage()));
      } catch (RuntimeException | Error e) {
        unanswered(attempt, String.valueOf(e)); // without memory, for example
      }
      return;
    }
    RdmaSession session = sessions.get(event.id());
    if (session != null) {
      switch (event.type()) {
        case ESTABLISHED -> session.established(session.peer());
        case DISCONNECTED -> session.end("the peer process ended, or closed the queue pair");
        case TIMEWAIT_EXIT, ADDRESS_CHANGE -> {}
        default -> session.end("rdma_cm: " + event.type());
      }
    }
  }

  private void attemptEvent(Attempt attempt, CmEvent event) throws IOException {
    switch (event.type()) {
      case ADDRESS_RESOLVED -> addressResolved(attempt);
      case ROUTE_RESOLVED -> routeResolved(attempt);
      case CONNECT_RESPONSE -> {
        attempt.id.establish();
        connected(attempt, event);
      }
      case ESTABLISHED -> connected(attempt, event);
      case REJECTED -> rejected(attempt, event);
      case CONNECT_ERROR, UNREACHABLE -> unanswered(attempt, event.toString());
      default -> end(attempt, event.toString(), event.status() == -ErrorNumbers.ETIMEDOUT);
    }
  }

  // -- devices ---------------------------------------------------------------------------------

  private void deviceEvent(DeviceContext device, DeviceEvent event) {
    LOG.log(Level.DEBUG, () -> device + ": " + event);
    endpoint.portsChanged(); // first: streams that lose their session may look for another at once
    switch (event.type()) {
      case PORT_ERROR -> linkDown(device, event.port());
      case DEVICE_FATAL -> deviceRemoved(device);
      case UNHEARD -> endSessions(id -> id.isOn(device.address()), "its completions are not heard");
      case PORT_ACTIVE, ADDRESS_CHANGE, OTHER -> {}
    }
  }

  private void deviceRemoved(BoundId id) {
    try {
      deviceRemoved(id.device());
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "An identifier without a device is gone", e);
    }
  }

  /** The kernel removes a device when nobody holds it any more. It may come back. */
  private void deviceRemoved(DeviceContext device) {
    HeldDevice held = device.held();
    endSessions(id -> id.isOn(device.address()), "the device is gone");
    listeners.deviceGone(device.address());
    silent.close(id -> id.isOn(device.address()));
    watches.remove(device.address());
    // What another endpoint of the process has on it could not be destroyed afterwards, and its
    // maps would keep the device. Each is told; the last one lets go.
    if (!EventThread.isUsed(device.address())) {
      held.release();
    }
    endpoint.portsChanged();
  }

  /**
   * Nothing is said to peers over a port that can not send: Soft-RoCE (6.1) would lose the queue
   * pair of its connection manager by that, and never connect again. They hear of it by their own
   * device, by FAIL on the anchors, or when the port is active again.
   */
  private void linkDown(DeviceContext device, int port) {
    for (RdmaSession session : new ArrayList<>(sessions.values())) {
      CmId id = session.connection().id();
      // The event may be late, and the port active again: then the queue pair says what was lost.
      if (id.isOn(device.address()) && id.port() == port && !canSend(id)) {
        CmId open = session.endSilently("the link is down");
        if (open != null) {
          silent.add(open);
        }
      }
    }
  }

  /** Closes it soon, if the port can send by then, or as soon as it can. */
  void closeWhenActive(CmId id) {
    silent.add(id);
  }

  private static boolean canSend(CmId id) {
    try {
      String device = id.device().toString();
      return RdmaDevices.ports().stream()
          .anyMatch(p -> p.device().equals(device) && p.number() == id.port() && p.isActive());
    } catch (IOException e) {
      return true; // bound to no device
    }
  }

  private void endSessions(Predicate<CmId> which, String cause) {
    for (Attempt attempt : new ArrayList<>(attempts.values())) {
      if (which.test(attempt.id)) {
        unanswered(attempt, cause);
      }
    }
    for (RdmaSession session : new ArrayList<>(sessions.values())) {
      if (which.test(session.connection().id())) {
        session.end(cause);
      }
    }
  }

  private Stream<BoundId> allIds() {
    return Stream.<Stream<? extends BoundId>>of(
            attempts.values().stream().map(a -> a.id),
            sessions.values().stream().map(s -> s.connection().id()),
            watches.ids(),
            silent.ids(),
            listeners.ids())
        .flatMap(ids -> ids);
  }

  /** A session is over. */
  void forget(RdmaSession session) {
    sessions.values().remove(session);
    incoming.values().remove(session);
    for (Attempt attempt : new ArrayList<>(attempts.values())) {
      if (session.equals(attempt.session)) {
        attempts.remove(attempt.id.address());
        endpoint.nobodyAt(attempt.remote, "the queue pair failed", true);
      }
    }
  }
}
