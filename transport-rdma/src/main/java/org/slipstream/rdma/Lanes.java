package org.slipstream.rdma;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.HandshakeMessage.Kind;
import org.slipstream.rdma.cm.CmEvent;
import org.slipstream.rdma.cm.CmId;
import org.slipstream.rdma.verbs.Capacity;
import org.slipstream.rdma.verbs.CompletionQueue;
import org.slipstream.rdma.verbs.MemoryRegion;
import org.slipstream.rdma.verbs.QueuePair;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.ProcessId;

/**
 * The queue pairs of one-sided memory: those that this process asks for, one for each {@link Lane},
 * and those that answer the lanes of peers, which nothing here ever looks at. Each belongs to a
 * session, whose ticket lets it in, and ends with it. Event thread only.
 *
 * <pre>
 *   client:  QUEUE, with the ticket of the session - ESTABLISHED        owner:  ACCEPT
 * </pre>
 */
final class Lanes {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");

  /** For the address and for the route, each. */
  private static final int RESOLVE_MS = 1_000;

  /** From the beginning to ESTABLISHED. */
  private static final long CONNECT_NS = 10_000_000_000L;

  private static final int[] INLINE_BYTES = {256, 128, 64, 0};

  /** One that we asked for. */
  private static final class Asked {
    final Lane lane;
    final CmId id;
    final Closing objects = new Closing();
    @Nullable HandshakeMessage request;
    Lane.@Nullable Parts parts;
    boolean ready;

    Asked(Lane lane, CmId id) {
      this.lane = lane;
      this.id = id;
    }
  }

  /** One that answers a peer's. */
  private static final class Answering {
    final RdmaSession session;
    final CmId id;
    final Arena arena;
    boolean established;

    Answering(RdmaSession session, CmId id, Arena arena) {
      this.session = session;
      this.id = id;
      this.arena = arena;
    }
  }

  private final RdmaSession.Home home;
  private final EventThread events;
  private final MemoryDevices devices;
  private final SilentIds goodbyes;
  private final Map<Long, Asked> asked = new HashMap<>();
  private final Map<Long, Answering> answering = new HashMap<>();

  /** Requests so far: each has a number that none before it had. */
  private long requests;

  Lanes(RdmaSession.Home home, EventThread events, MemoryDevices devices, SilentIds goodbyes) {
    this.home = home;
    this.events = events;
    this.devices = devices;
    this.goodbyes = goodbyes;
  }

  // -- asking ----------------------------------------------------------------------------------

  /** Connects a lane. */
  void open(Lane lane) {
    Lane.Peer session = lane.session();
    Way way = session.asked();
    CmId id = null;
    try {
      if (way == null || !session.isOpen()) {
        throw new IOException("the session is over");
      }
      id = new CmId(events.channel());
      Asked one = new Asked(lane, id);
      asked.put(id.address(), one);
      if (session.device().isIwarp()) {
        InetSocketAddress there = home.settings().iwarp(way.remote());
        id.resolveAddress(null, there, RESOLVE_MS);
      } else {
        SourcePorts.resolve(id, way.local(), way.remote(), RESOLVE_MS);
      }
      events.schedule(
          CONNECT_NS,
          () -> {
            if (!one.ready) {
              end(one, "no answer in time");
            }
          });
    } catch (IOException | RuntimeException | Error e) {
      LOG.log(Level.DEBUG, "A queue of one-sided memory does not connect", e);
      lane.over();
      if (id != null) {
        asked.remove(id.address());
        id.close();
      }
    }
  }

  /** Ends a lane. */
  void close(Lane lane) {
    endAsked(one -> one.lane.equals(lane), "its queue needs it no more");
  }

  private void end(Asked one, String why) {
    if (asked.remove(one.id.address()) != null) {
      LOG.log(Level.DEBUG, () -> "A queue pair of one-sided memory is closed: " + why);
      one.lane.over();
      if (one.parts == null) { // nothing was said to the peer yet
        one.objects.close();
        one.id.close();
      } else {
        goodbyes.end(one.id, one.objects::close);
      }
    }
  }

  private void endAsked(Predicate<Asked> which, String why) {
    for (Asked one : new ArrayList<>(asked.values())) {
      if (which.test(one)) {
        end(one, why);
      }
    }
  }

  private void askedEvent(Asked one, CmEvent event) throws IOException {
    switch (event.type()) {
      case ADDRESS_RESOLVED -> {
        int trafficClass = home.settings().trafficClass();
        if (trafficClass >= 0) {
          one.id.trafficClass(trafficClass);
        }
        one.id.resolveRoute(RESOLVE_MS);
      }
      case ROUTE_RESOLVED -> connect(one);
      case CONNECT_RESPONSE, ESTABLISHED -> established(one, event);
      case TIMEWAIT_EXIT, ADDRESS_CHANGE -> {}
      default -> end(one, event.toString());
    }
  }

  private void connect(Asked one) throws IOException {
    Lane.Peer session = one.lane.session();
    home.settings().requireAllowed(one.id);
    if (!goodbyes.canSend(one.id)) {
      throw new IOException("its port is down");
    }
    MemoryDevice device = devices.of(one.id.device());
    one.id.ackTimeout(home.settings().ackTimeout());
    int mtu = home.settings().maxPathMtu();
    RdmaSettings.limitPathMtu(one.id, mtu);
    one.parts = make(one, device);
    one.id.reads(device.reads());
    Token number = new Token(++requests, Token.random().low());
    int detail = HandshakeMessage.detailOfPathMtu(mtu);
    HandshakeMessage request =
        HandshakeMessage.of(
            Kind.QUEUE,
            detail,
            home.host().processId(),
            number,
            home.key()
                .prove(
                    Kind.QUEUE,
                    detail,
                    home.host().processId(),
                    session.peer(),
                    number,
                    session.ticket()));
    one.request = request;
    one.id.connect(request.bytes(), home.settings().retries());
  }

  private static Lane.Parts make(Asked one, MemoryDevice device) throws IOException {
    Arena arena = Arena.ofShared();
    one.objects.add(arena::close);
    MemorySegment staging = arena.allocate(one.lane.stagingBytes(), 4096);
    MemoryRegion region = device.registerLocal(staging);
    one.objects.add(() -> device.release(region));
    CompletionQueue completions = new CompletionQueue(one.id.device(), one.lane.requests());
    one.objects.add(completions::close);
    IOException refused = new IOException("no queue pair");
    for (int inline : INLINE_BYTES) {
      try {
        Capacity wanted = new Capacity(one.lane.requests(), 1, inline);
        QueuePair pair =
            one.id.createQueuePair(device.domain(), completions, completions, wanted, arena);
        one.objects.add(one.id::destroyQueuePair);
        return new Lane.Parts(pair, completions, staging, region.localKey());
      } catch (IOException e) {
        refused = e;
      }
    }
    throw refused;
  }

  private void established(Asked one, CmEvent event) throws IOException {
    Lane.Parts parts = one.parts;
    HandshakeMessage request = one.request;
    if (one.ready || parts == null || request == null) {
      return;
    }
    HandshakeMessage answer = HandshakeMessage.read(event.privateData());
    if (answer.kind() != Kind.ACCEPT
        || !answer.process().equals(one.lane.session().peer())
        || !answer.proof().isSame(proof(request, answer.process()))) {
      throw new IOException("the peer does not prove that it is the owner");
    }
    one.id.establish();
    one.ready = true;
    one.lane.ready(parts);
  }

  private Proof proof(HandshakeMessage request, ProcessId owner) {
    return home.key().prove(Kind.ACCEPT, 0, request.process(), owner, Token.NONE, request.number());
  }

  // -- answering -------------------------------------------------------------------------------

  /**
   * Accepts a lane of a peer's.
   *
   * @param id of the request; the caller closes it if this fails
   * @param request was let in
   * @param session the peer's
   */
  void answer(CmId id, HandshakeMessage request, RdmaSession session) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      MemoryDevice device = devices.of(id.device());
      id.ackTimeout(home.settings().ackTimeout());
      RdmaSettings.limitPathMtu(id, request.maxPathMtu());
      CompletionQueue idle = device.idle();
      QueuePair _ = id.createQueuePair(device.domain(), idle, idle, new Capacity(1, 1, 0), arena);
      id.reads(device.reads());
      HandshakeMessage answer =
          HandshakeMessage.of(
              Kind.ACCEPT,
              0,
              home.host().processId(),
              Token.NONE,
              proof(request, home.host().processId()));
      session.holdMemory();
      id.accept(answer.bytes(), home.settings().retries());
      Answering one = new Answering(session, id, arena);
      answering.put(id.address(), one);
      events.schedule(
          Door.ESTABLISH_NS, () -> endAnswering(each -> each.equals(one) && !one.established));
    } catch (IOException | RuntimeException | Error e) {
      id.destroyQueuePair();
      arena.close();
      throw Closing.asIOException(e);
    }
  }

  private void endAnswering(Predicate<Answering> which) {
    for (Answering one : new ArrayList<>(answering.values())) {
      if (which.test(one)) {
        answering.remove(one.id.address());
        goodbyes.end(one.id, one.arena::close);
      }
    }
  }

  // -- events ----------------------------------------------------------------------------------

  /**
   * Takes an event of rdma_cm.
   *
   * @return false if it is not about a queue pair of one-sided memory
   */
  boolean event(CmEvent event) {
    Asked one = asked.get(event.id());
    if (one != null) {
      try {
        askedEvent(one, event);
      } catch (IOException | RuntimeException | Error e) {
        LOG.log(Level.DEBUG, "A queue of one-sided memory does not connect", e);
        end(one, String.valueOf(e.getMessage()));
      }
      return true;
    }
    Answering answer = answering.get(event.id());
    if (answer == null) {
      return false;
    }
    switch (event.type()) {
      case ESTABLISHED -> answer.established = true;
      case TIMEWAIT_EXIT, ADDRESS_CHANGE -> {}
      default -> endAnswering(each -> each.id.address() == event.id());
    }
    return true;
  }

  /** A session is over. */
  void ended(RdmaSession session) {
    endAsked(one -> one.lane.session().equals(session), "its session is over");
    endAnswering(one -> one.session.equals(session));
  }

  /** A device is gone. */
  void deviceGone(long device) {
    endAsked(one -> one.id.isOn(device), "the device is gone");
    endAnswering(one -> one.id.isOn(device));
    devices.gone(device);
  }

  /** The process leaves, or rdma_cm does. */
  void closeAll() {
    endAsked(one -> true, "it is the end");
    endAnswering(one -> true);
    devices.close();
  }

  boolean isEmpty() {
    return asked.isEmpty() && answering.isEmpty();
  }

  Stream<CmId> ids() {
    return Stream.concat(
        asked.values().stream().map(one -> one.id), answering.values().stream().map(one -> one.id));
  }
}
