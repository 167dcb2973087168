package org.slipstream.rdma;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.cm.BoundId;
import org.slipstream.rdma.cm.CmEvent;
import org.slipstream.rdma.cm.CmId;
import org.slipstream.rdma.cm.ConnectedId;
import org.slipstream.rdma.verbs.DeviceContext;
import org.slipstream.rdma.verbs.DeviceEvent;
import org.slipstream.rdma.verbs.ErrorNumbers;
import org.slipstream.rdma.verbs.HeldDevice;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Refusal;

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
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");

  /** For the address and for the route, each. */
  private static final int RESOLVE_MS = 1_000;

  /**
   * From the beginning to ESTABLISHED. rdma_cm alone may take minutes. No stream waits for it: a
   * peer that is just starting has its time.
   */
  private static final long CONNECT_NS = 30_000_000_000L;

  /** Told what came of a search; on the event thread. */
  interface Owner extends RdmaSession.Home {
    /** There is a session. */
    void connected(Way way, RdmaSession session);

    /** This process is at the end of a way. */
    void isKnown(Way way, ProcessId process);

    /** There is none now. */
    void noPeerAt(Way way, Throwable why, @Nullable Refusal refusal, boolean mayComeLater);

    /** What was found out about ports may be wrong from now on. */
    void portsChanged();

    /** What one-sided memory has on the devices. */
    MemoryDevices memoryDevices();

    /** Nothing works any more. */
    void fail(IOException cause);
  }

  private final Owner owner;
  private final EventThread events;
  private final Map<Long, Attempt> attempts = new HashMap<>();
  private final Map<Long, RdmaSession> sessions = new HashMap<>();
  private final Acceptor acceptor;
  private final Tickets tickets = new Tickets();
  private final Listeners listeners;
  private final Lanes lanes;
  private final Rails rails;

  /** Requests for sessions beside another one so far: each has a number that none before it had. */
  private long railRequests;

  private final SilentIds silent;

  /** The endpoint is closed. */
  private boolean closed;

  private final DeviceWatches watches;

  /** A connect that is under way. */
  private static final class Attempt {
    final Way way;
    final CmId id;

    /** Asks where iWARP listens. */
    final boolean iwarp;

    /** What we say, and believe. */
    final Opening opening;

    /** What lets it in; null for a first session. */
    final @Nullable RdmaSession beside;

    @Nullable RdmaSession session;

    Attempt(Way way, CmId id, boolean iwarp, Opening opening, @Nullable RdmaSession beside) {
      this.way = way;
      this.id = id;
      this.iwarp = iwarp;
      this.opening = opening;
      this.beside = beside;
    }
  }

  /** Begins to open rdma_cm, on the event thread. */
  Connector(Owner owner) {
    this.owner = owner;
    this.events = new EventThread(this, this::deviceEvent);
    this.watches = new DeviceWatches(events);
    this.silent = new SilentIds(Connector::canSend, events::schedule);
    this.lanes = new Lanes(owner, events, owner.memoryDevices(), silent);
    this.listeners =
        new Listeners(
            new ListenerFactory(events, owner.settings(), watches::add), events::schedule);
    this.rails =
        new Rails(
            owner.settings(), listeners, events::schedule, Routes::source, this::connectBeside);
    this.acceptor =
        new Acceptor(
            owner, events, watches, lanes, rails, (id, s) -> sessions.put(id.address(), s));
    events.start();
  }

  void execute(Runnable task) {
    events.execute(task);
  }

  Lanes lanes() {
    return lanes;
  }

  Listeners listeners() {
    return listeners;
  }

  Rails rails() {
    return rails;
  }

  // -- connecting ------------------------------------------------------------------------------

  /** {@link Owner#connected}, {@link Owner#isKnown} or {@link Owner#noPeerAt} follows. */
  void connect(Way way) {
    resolve(way, false, null, null);
  }

  private void connectBeside(Way way, RdmaSession beside) {
    resolve(way, false, null, beside);
  }

  private Opening first(@Nullable RdmaSession beside) {
    ProcessId self = owner.host().processId();
    int mtu = owner.settings().maxPathMtu();
    return beside == null
        ? Opening.hello(owner.key(), self, mtu)
        : Opening.rail(owner.key(), self, beside.peer(), beside.ticket(), ++railRequests, mtu);
  }

  /**
   * Begins an attempt, or says that there will be none: streams wait for the answer.
   *
   * @param next what to say; null for the first request
   */
  private void resolve(
      Way way, boolean iwarp, @Nullable Opening next, @Nullable RdmaSession beside) {
    CmId id = null;
    try {
      Opening opening = next == null ? first(beside) : next;
      id = new CmId(events.channel());
      if (iwarp) {
        id.resolveAddress(null, owner.settings().iwarp(way.remote()), RESOLVE_MS);
      } else {
        SourcePorts.resolve(id, way.local(), way.remote(), RESOLVE_MS);
      }
      Attempt attempt = new Attempt(way, id, iwarp, opening, beside);
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
      notConnected(way, beside, e, RefusedException.of(e), !(e instanceof IOException));
    }
  }

  private void notConnected(
      Way way,
      @Nullable RdmaSession beside,
      Throwable why,
      @Nullable Refusal refusal,
      boolean mayComeLater) {
    if (beside == null) {
      owner.noPeerAt(way, why, refusal, mayComeLater);
    } else {
      LOG.log(Level.DEBUG, () -> "No second session to " + way + ": " + why.getMessage());
      rails.down(beside.group(), way);
    }
  }

  /** There is no way, or none that is allowed; or this process can not go it now. */
  private void fail(Attempt attempt, IOException why) {
    Refusal refusal = RefusedException.of(why);
    boolean forbidden = refusal == Refusal.NOT_ALLOWED || refusal == Refusal.IWARP_OFF;
    end(
        attempt,
        why,
        forbidden ? Refusal.NOT_ALLOWED_HERE : refusal,
        refusal != null && !forbidden);
  }

  /** There is a way, and a peer may answer another time. */
  private void unanswered(Attempt attempt, Throwable why) {
    end(attempt, why, RefusedException.of(why), true);
  }

  private void unanswered(Attempt attempt, String why) {
    Throwable cause;
    try {
      cause = new IOException(why);
    } catch (OutOfMemoryError e) {
      cause = e;
    }
    unanswered(attempt, cause);
  }

  private void end(
      Attempt attempt, Throwable why, @Nullable Refusal refusal, boolean mayComeLater) {
    try {
      close(attempt, String.valueOf(why.getMessage()));
    } finally { // without memory, too
      notConnected(attempt.way, attempt.beside, why, refusal, mayComeLater);
    }
  }

  private void close(Attempt attempt, String why) {
    attempts.remove(attempt.id.address());
    RdmaSession session = attempt.session;
    if (session != null) {
      session.end(why);
    } else {
      attempt.id.close();
    }
  }

  private void addressResolved(Attempt attempt) throws IOException {
    owner.settings().requireTransport(attempt.id.device());
    if (attempt.id.device().isIwarp() && !attempt.iwarp) {
      attempts.remove(attempt.id.address());
      attempt.id.close();
      resolve(attempt.way, true, attempt.opening, attempt.beside);
      return;
    }
    int trafficClass = owner.settings().trafficClass();
    if (trafficClass >= 0) {
      attempt.id.trafficClass(trafficClass);
    }
    attempt.id.resolveRoute(RESOLVE_MS);
  }

  private void routeResolved(Attempt attempt) throws IOException {
    owner.settings().requireAllowed(attempt.id);
    if (!canSend(attempt.id)) {
      unanswered(attempt, "its port is down"); // as in linkDown
      return;
    }
    watches.add(attempt.id);
    attempt.id.ackTimeout(owner.settings().ackTimeout());
    RdmaSettings.limitPathMtu(attempt.id, owner.settings().maxPathMtu());
    RdmaSession beside = attempt.beside;
    RdmaSession session =
        beside == null
            ? RdmaSession.asked(owner, events, attempt.id, attempt.way)
            : RdmaSession.askedBeside(beside, owner, events, attempt.id, attempt.way);
    session.ask();
    attempt.session = session;
    try {
      attempt.id.connect(attempt.opening.request().bytes(), owner.settings().retries());
    } catch (IOException e) { // of iWARP's TCP, e.g. no process listens yet: there is no event
      unanswered(attempt, e);
    }
  }

  private void connected(Attempt attempt, CmEvent event) throws IOException {
    RdmaSession session = attempt.session;
    if (session == null) {
      throw new IOException("connected without a queue pair");
    }
    HandshakeMessage peer = HandshakeMessage.read(event.privateData());
    attempt.opening.accepted(peer);
    RdmaSession beside = attempt.beside;
    if (beside != null && !beside.peer().equals(peer.process())) {
      throw new IOException("another process is there");
    }
    attempt.id.establish(); // nothing is left to do if rdma_cm has done it
    attempts.remove(event.id());
    sessions.put(event.id(), session);
    session.ticket(peer.number());
    session.established(peer.process());
    rails.connected(session);
    if (beside == null) {
      rails.told(session, ToldPorts.read(event.privateData()));
    }
    // Streams look for the way by which the process was found, whichever of its sessions is left.
    owner.connected(Objects.requireNonNull(session.group().first()), session);
    session.answered();
  }

  private void rejected(Attempt attempt, CmEvent event) {
    try {
      HandshakeMessage peer = HandshakeMessage.read(event.privateData());
      Opening next = attempt.opening.rejected(peer);
      close(attempt, "the peer wants to hear something else");
      if (next != null) {
        resolve(attempt.way, attempt.iwarp, next, null);
      } else if (attempt.beside != null) {
        rails.down(attempt.beside.group(), attempt.way);
      } else if (attempt.opening.mayBeLost() && hasLost(peer.process(), attempt.way)) {
        Token ticket = tickets.take(peer.process(), attempt.way);
        resolve(attempt.way, attempt.iwarp, attempt.opening.lost(peer, ticket), null);
      } else {
        owner.isKnown(attempt.way, peer.process());
      }
    } catch (IOException e) { // its program may listen before it has said so here, for example
      unanswered(attempt, e);
    }
  }

  /**
   * We know of no session with it, and none is just being made: ours ended, and the peer has not
   * heard of it, because the goodbye was lost. Or another process says that it is us.
   */
  private boolean hasLost(ProcessId process, Way way) {
    return attempts.values().stream().allMatch(a -> a.session == null || a.beside != null)
        && sessions.values().stream().noneMatch(s -> s.isTo(process, way));
  }

  // -- the end ---------------------------------------------------------------------------------

  /** No connection is made any more, here or there; what is open comes to its end by itself. */
  void close() {
    closed = true;
    listeners.unlistenAll();
    for (RdmaSession session : new ArrayList<>(sessions.values())) {
      if (session.holdsMemory()) { // what is mapped there ends with this process's domain
        session.end("the domain is closed");
      }
    }
    lanes.closeAll();
  }

  @Override
  public boolean isOver() {
    return closed
        && attempts.isEmpty()
        && sessions.isEmpty()
        && lanes.isEmpty()
        && silent.isEmpty()
        && watches.areNeedless();
  }

  @Override
  public void ending() {
    watches.close();
  }

  // -- events ----------------------------------------------------------------------------------

  @Override
  public void lost(String why) {
    owner.fail(new IOException(why));
    endSessions(id -> true, why);
    lanes.closeAll();
    listeners.unlistenAll();
    watches.lost();
  }

  @Override
  public void event(CmEvent event) {
    if (LOG.isLoggable(Level.TRACE)) {
      LOG.log(Level.TRACE, "rdma_cm: " + event);
    }
    if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
      acceptor.requested(event);
      return;
    }
    if (event.type() == CmEvent.Type.DEVICE_REMOVAL) {
      allIds().filter(id -> id.address() == event.id()).findAny().ifPresent(this::deviceRemoved);
      return;
    }
    Long id = boxed(event.id());
    Attempt attempt = attempts.get(id);
    if (attempt != null) {
      try {
        attemptEvent(attempt, event);
      } catch (IOException e) {
        fail(attempt, e);
      } catch (RuntimeException | Error e) {
        unanswered(attempt, e); // without memory, for example
      }
      return;
    }
    RdmaSession session = sessions.get(id);
    if (session == null) {
      boolean _ = lanes.event(event);
    } else {
      try {
        sessionEvent(session, event.type());
      } catch (OutOfMemoryError e) {
        session.end("no memory for an event of rdma_cm"); // which comes once
      }
    }
  }

  /** What an event is about: the event comes once. */
  private static Long boxed(long id) {
    for (int attempt = 1; ; attempt++) {
      try {
        return id;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  private static void sessionEvent(RdmaSession session, CmEvent.Type type) {
    switch (type) {
      case ESTABLISHED -> session.established(session.peer());
      case DISCONNECTED -> session.end("the peer process ended, or closed the queue pair");
      case TIMEWAIT_EXIT, ADDRESS_CHANGE -> {}
      default -> session.end("rdma_cm: " + type);
    }
  }

  private void attemptEvent(Attempt attempt, CmEvent event) throws IOException {
    switch (event.type()) {
      case ADDRESS_RESOLVED -> addressResolved(attempt);
      case ROUTE_RESOLVED -> routeResolved(attempt);
      case CONNECT_RESPONSE, ESTABLISHED -> connected(attempt, event);
      case REJECTED -> rejected(attempt, event);
      case CONNECT_ERROR, UNREACHABLE -> unanswered(attempt, event.toString());
      default ->
          end(
              attempt,
              new IOException(event.toString()),
              null,
              event.status() == -ErrorNumbers.ETIMEDOUT);
    }
  }

  // -- devices ---------------------------------------------------------------------------------

  private void deviceEvent(DeviceContext device, DeviceEvent event) {
    LOG.log(Level.DEBUG, () -> device + ": " + event);
    owner.portsChanged(); // first: streams that lose their session may look for another at once
    switch (event.type()) {
      case PORT_ERROR -> linkDown(device, event.port());
      case DEVICE_FATAL -> deviceRemoved(device);
      case UNHEARD -> endSessions(id -> id.isOn(device.address()), "its completions are not heard");
      case PORT_ACTIVE, ADDRESS_CHANGE -> rails.portActive();
      case OTHER -> {}
    }
  }

  private void deviceRemoved(BoundId id) {
    try {
      deviceRemoved(id.device());
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "An identifier without a device is gone", e);
    }
  }

  /** The kernel removes a device when no process holds it any more. It may come back. */
  private void deviceRemoved(DeviceContext device) {
    HeldDevice held = device.held();
    endSessions(id -> id.isOn(device.address()), "the device is gone");
    lanes.deviceGone(device.address());
    listeners.deviceGone(device.address());
    silent.close(id -> id.isOn(device.address()));
    watches.remove(device.address());
    // What another endpoint of the process has on it could not be destroyed afterwards, and its
    // maps would keep the device. Each is told; the last one lets go.
    if (!EventThread.isUsed(device.address())) {
      held.release();
    }
    owner.portsChanged();
  }

  /**
   * Nothing is said to peers over a port that can not send ({@link SilentIds}). They hear of it by
   * their own device, by FAIL on the TCP connections, or when the port is active again.
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

  /** Whether its port is active; true if it has none. */
  static boolean canSend(ConnectedId id) {
    try {
      return RdmaDevices.isActive(id.device().toString(), id.port());
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
            lanes.ids(),
            listeners.ids())
        .flatMap(ids -> ids);
  }

  /** A session is over. May be called again if there was no memory for all of it. */
  void forget(RdmaSession session) {
    sessions.values().remove(session);
    lanes.ended(session);
    acceptor.forget(session);
    rails.ended(session);
    Way asked = session.asked();
    boolean began = !session.ticket().equals(Token.NONE);
    if (began && asked != null && asked.equals(session.group().first())) {
      tickets.keep(session.peer(), asked, session.ticket());
    }
    for (Attempt attempt : new ArrayList<>(attempts.values())) {
      if (session.equals(attempt.session)) {
        attempts.remove(attempt.id.address());
        notConnected(
            attempt.way, attempt.beside, new IOException("the queue pair failed"), null, true);
      }
    }
  }
}
