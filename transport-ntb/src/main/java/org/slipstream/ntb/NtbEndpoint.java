package org.slipstream.ntb;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryEndpoint;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.MemoryQueue;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.MessageCode;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.PeerMemory;
import org.slipstream.transport.PeerSearch;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Refusal;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;

/**
 * This process among the processes of other nodes: its advertisements, its sessions, and one thread
 * for each fabric that waits for messages.
 */
final class NtbEndpoint implements MemoryEndpoint {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.ntb");

  /** While there are sessions, the driver is asked about them so often. */
  private static final int TICK_MS = 50;

  /** Without a session nothing but a message is waited for. */
  private static final int IDLE_MS = 1_000;

  /** How long the end waits for the sessions of one-sided memory to end. */
  private static final int LEAVING_MS = 500;

  /** What an operator is told of a peer that says so itself. */
  private static final String NO_KEY = "the peer has no slipstream.key that it can use";

  /** Of memory that peers use: a page. */
  private static final int ALIGNMENT = 4096;

  private final TransportHost host;
  private final HostsFile hosts;
  private final Map<String, Fabric> fabrics;
  private final byte @Nullable [] key;
  private final SetupThread setup = new SetupThread();
  private final MemoryService service = new MemoryService();
  private final AdvertisementTable advertisements = new AdvertisementTable();

  /** Written by the set-up thread and the reactor. */
  private final SearchHistory history = new SearchHistory();

  /** Reactor only. */
  private final Map<Long, Handshake> sessions = new HashMap<>();

  private final Map<SearchHistory.Peer, NtbSession> outgoing = new HashMap<>();

  private final Announcements announcements;

  /** Memory is exported or mapped over this endpoint. Written by any thread, only to true. */
  private volatile boolean sharesMemory;

  private boolean listening;
  private boolean closed;
  private volatile boolean busy;

  NtbEndpoint(
      TransportHost host, HostsFile hosts, Map<String, Fabric> fabrics, byte @Nullable [] key) {
    this.host = host;
    this.hosts = hosts;
    this.fabrics = fabrics;
    this.key = key;
    this.announcements =
        new Announcements(
            fabrics.values(),
            (fabric, address) ->
                Advertisement.of(host.processId(), fabric.inbox(), address.getAddress(), key));
  }

  // -- messages --------------------------------------------------------------------------------

  /** Starts the threads that wait for messages. */
  private synchronized void listen() {
    if (listening || closed) {
      return;
    }
    listening = true;
    for (Fabric fabric : fabrics.values()) {
      Thread.ofPlatform()
          .daemon()
          .name("slipstream-ntb-" + fabric.node())
          .start(() -> await(fabric));
    }
  }

  private void await(Fabric fabric) {
    while (true) {
      try {
        messages(fabric);
        return;
      } catch (OutOfMemoryError e) {
        endSessions(fabric, "there was no memory for a message");
      } catch (InternalError e) { // the file was truncated
        LOG.log(
            Level.WARNING,
            MessageCode.NTB_NO_MESSAGES.text(
                "No messages from other nodes any more: " + fabric.via() + " was truncated"));
        endSessions(fabric, "memory of the fabric is gone");
        return;
      }
    }
  }

  /** However long there is no memory for it: streams wait to hear of it. */
  private void endSessions(Fabric fabric, String why) {
    while (true) {
      try {
        host.reactor().execute(() -> failSessions(fabric, why));
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest();
      }
    }
  }

  private void failSessions(Fabric fabric, String why) {
    for (Handshake h : new ArrayList<>(sessions.values())) {
      if (h.session().fabric().equals(fabric)) {
        h.session().fail(why);
      }
    }
  }

  private void messages(Fabric fabric) {
    long ticked = System.nanoTime();
    while (!fabric.isClosed()) {
      byte[] message = fabric.await(busy ? TICK_MS : IDLE_MS);
      if (message != null) {
        host.reactor().execute(() -> received(fabric, message));
      }
      long now = System.nanoTime();
      if (busy && (message == null || now - ticked >= TICK_MS * 1_000_000L)) {
        ticked = now; // by the clock: with messages all the time the link would never be checked
        host.reactor().execute(() -> tick(fabric));
      }
      MemoryFaults.settle();
    }
  }

  private void tick(Fabric fabric) {
    for (Handshake h : new ArrayList<>(sessions.values())) {
      if (h.session().fabric().equals(fabric)) {
        h.session().poll();
        h.session().checkHealth();
      }
    }
  }

  private void received(Fabric fabric, byte[] bytes) {
    try {
      Message message = Message.read(bytes);
      if (message.kind() == Message.HELLO) {
        helloReceived(fabric, message);
        return;
      }
      Handshake handshake = sessions.get(message.receiver());
      if (handshake == null || !handshake.session().fabric().equals(fabric)) {
        return; // of a session that is over
      }
      if (message.kind() == Message.WAKE) {
        handshake.session().poll();
      } else {
        handshake.received(message);
      }
    } catch (IOException e) {
      LOG.log(
          Level.WARNING,
          MessageCode.NTB_MESSAGE_REFUSED.text(
              "A message from another node is refused: " + e.getMessage()));
    }
  }

  private void helloReceived(Fabric fabric, Message hello) throws IOException {
    if (sessions.values().stream().anyMatch(h -> h.isAnswerTo(fabric, hello))) {
      return;
    }
    NtbSession session =
        session(fabric, hello.node(), hello.inbox(), Objects.requireNonNull(hello.process()));
    add(Handshake.answer(host, setup, MessageMac.of(key), session, hello));
  }

  private NtbSession session(Fabric fabric, int node, int inbox, ProcessId peer) {
    return new NtbSession(host, setup, service, this::ended, fabric, node, inbox, peer);
  }

  private void add(Handshake handshake) {
    sessions.put(handshake.session().name(), handshake);
    busy = true;
  }

  /** A session is over. Reactor. */
  private void ended(NtbSession session) {
    sessions.remove(session.name());
    outgoing.values().remove(session);
    busy = !sessions.isEmpty();
  }

  // -- announcing ------------------------------------------------------------------------------

  @Override
  public Closeable announce(InetSocketAddress address) throws IOException {
    listen();
    return announcements.add(address, false);
  }

  // -- finding ---------------------------------------------------------------------------------

  @Override
  public boolean reaches(InetSocketAddress local, InetSocketAddress remote) {
    return !usable(remote).isEmpty();
  }

  /** The ways to an address that we have, without those to ourselves. */
  private List<Route> usable(InetSocketAddress remote) {
    List<Route> routes = new ArrayList<>();
    for (Route route : hosts.routes(remote.getAddress())) {
      Fabric fabric = fabrics.get(route.via());
      if (fabric != null && fabric.node() != route.node()) {
        routes.add(route);
      }
    }
    return routes;
  }

  /**
   * Counts one process for each way that is not known to lead nowhere: whether a process is there
   * is found out in the background, because a driver may take long for it.
   */
  @Override
  public int findPeers(InetSocketAddress remote, Consumer<Session> answer, Runnable nobodyThere) {
    listen();
    List<Route> routes = new ArrayList<>();
    for (Route route : usable(remote)) {
      if (!history.isKnown(port(route, remote), System.nanoTime())) {
        routes.add(route);
      }
    }
    if (routes.isEmpty()) {
      return 0;
    }
    setup.executeWhole(() -> search(routes, remote, answer, nobodyThere));
    return 1;
  }

  private SearchHistory.Port port(Route route, InetSocketAddress remote) {
    return new SearchHistory.Port(fabric(route), route.node(), remote.getPort());
  }

  private Fabric fabric(Route route) {
    return Objects.requireNonNull(fabrics.get(route.via()));
  }

  /** The first way on which a process is found. Set-up thread. */
  private void search(
      List<Route> routes,
      InetSocketAddress remote,
      Consumer<Session> answer,
      Runnable nobodyThere) {
    for (Route route : routes) {
      Refusal refusal = null;
      String why = null;
      try {
        List<Advertisement> there = advertisements.find(false, fabric(route), route.node(), remote);
        List<Advertisement> found = there.stream().filter(a -> a.hasKey(key)).toList();
        if (found.size() < there.size()) {
          refusal = Refusal.KEY;
          why = there.stream().anyMatch(Advertisement::isWithoutKey) ? NO_KEY : refusal.sentence();
        }
        if (!found.isEmpty()) {
          host.reactor().execute(() -> ask(route, remote, found, answer, nobodyThere));
          return;
        }
      } catch (IOException e) {
        nothingFound(route, e);
      }
      history.missed(port(route, remote), refusal, why, System.nanoTime());
    }
    host.reactor()
        .execute(() -> {
          SearchHistory.Missed refused = refused(remote);
          if (refused != null && refused.why() != null) {
            host.sessionRefused(NtbSession.NAME, remote, refused.why());
          }
          nobodyThere.run();
        });
  }

  /** A session with each process that was found. Reactor. */
  private void ask(
      Route route,
      InetSocketAddress remote,
      List<Advertisement> found,
      Consumer<Session> answer,
      Runnable nobodyThere) {
    SearchHistory.Port port = port(route, remote);
    PeerSearch search =
        new PeerSearch(
            answer,
            () -> {
              history.unanswered(port, System.nanoTime());
              nobodyThere.run();
            });
    found.forEach(_ -> search.found());
    for (Advertisement advertisement : found) {
      SearchHistory.Peer process =
          new SearchHistory.Peer(fabric(route), route.node(), advertisement.process());
      if (history.isSilent(process, System.nanoTime())) {
        search.lost();
      } else {
        sessionWith(process, advertisement.inbox())
            .whenReady(
                session -> {
                  history.found(port, process);
                  search.opened(session);
                },
                search::lost);
      }
    }
  }

  @Override
  public @Nullable Refusal refusal(InetSocketAddress local, InetSocketAddress remote) {
    SearchHistory.Missed refused = refused(remote);
    return refused == null ? null : refused.refusal();
  }

  /**
   * The last search that found a process that has another key or none, or does not answer; null =
   * none did.
   */
  private SearchHistory.@Nullable Missed refused(InetSocketAddress remote) {
    for (Route route : usable(remote)) {
      SearchHistory.Missed refused = history.refused(port(route, remote));
      if (refused != null) {
        return refused;
      }
    }
    return null;
  }

  @Override
  public boolean mayFindLater(InetSocketAddress remote) {
    return usable(remote).stream().anyMatch(route -> history.mayFindLater(port(route, remote)));
  }

  private NtbSession sessionWith(SearchHistory.Peer process, int inbox) {
    NtbSession session = outgoing.get(process);
    if (session == null) {
      session = session(process.fabric(), process.node(), inbox, process.id());
      try {
        outgoing.put(process, session);
        add(Handshake.begin(host, setup, MessageMac.of(key), session));
        session.whenReady(_ -> {}, () -> history.unanswered(process, System.nanoTime()));
      } catch (RuntimeException | Error e) { // any: a class may be missing for good
        session.fail(String.valueOf(e.getMessage())); // the next search would wait for it for ever
        throw e;
      }
    }
    return session;
  }

  private static void nothingFound(Route route, IOException e) {
    LOG.log(
        Level.WARNING,
        MessageCode.NTB_NOTHING_FOUND.text(
            "Nothing is found over " + route + ": " + e.getMessage()));
  }

  // -- one-sided memory ------------------------------------------------------------------------

  @Override
  public boolean meetsByAddress() {
    return true;
  }

  @Override
  public Closeable announceOwner(InetSocketAddress address) throws IOException {
    sharesMemory = true;
    listen();
    return announcements.add(address, true);
  }

  /** A program that maps memory asks now, and not when an earlier failure is forgotten. */
  @Override
  public int findOwner(InetSocketAddress address, Consumer<Session> answer, Runnable none) {
    sharesMemory = true;
    listen();
    List<Route> routes = usable(address);
    if (routes.isEmpty()) {
      return 0;
    }
    setup.executeWhole(() -> searchOwner(routes, address, answer, none));
    return 1;
  }

  /** The first process on the first way. Set-up thread. */
  private void searchOwner(
      List<Route> routes, InetSocketAddress address, Consumer<Session> answer, Runnable none) {
    for (Route route : routes) {
      try {
        Fabric fabric = fabric(route);
        List<Advertisement> found =
            advertisements.find(true, fabric, route.node(), address).stream()
                .filter(a -> a.hasKey(key))
                .toList();
        if (!found.isEmpty()) {
          Advertisement first = found.getFirst();
          SearchHistory.Peer process =
              new SearchHistory.Peer(fabric, route.node(), first.process());
          host.reactor().execute(() -> sessionWith(process, first.inbox()).whenReady(answer, none));
          return;
        }
      } catch (IOException e) {
        nothingFound(route, e);
      }
    }
    host.reactor().execute(none);
  }

  @Override
  public OwnMemory allocateMemory(long bytes) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      return new NtbOwnMemory(arena.allocate(bytes, ALIGNMENT), arena);
    } catch (OutOfMemoryError e) {
      arena.close();
      throw new IOException("no memory for a region of " + bytes + " bytes", e);
    }
  }

  @Override
  public OwnMemory shareMemory(MemorySegment memory) {
    return new NtbOwnMemory(memory, null);
  }

  @Override
  public PeerMemory mapMemory(
      Session owner, ByteBuffer descriptor, long bytes, boolean writable, Arena arena)
      throws IOException {
    if (!(owner instanceof NtbSession session) || bytes <= 0) {
      throw new IOException("A region was described wrongly");
    }
    session.lanes().use();
    return NtbPeerMemory.read(session.lanes(), descriptor);
  }

  @Override
  public MemoryQueue memoryQueue(int depth) {
    return new NtbMemoryQueue(depth);
  }

  /** Peers hear of our end from nothing else; the reactor runs until this has returned. */
  private void endMemory() {
    CountDownLatch over = new CountDownLatch(1);
    host.reactor()
        .execute(() -> {
          endSessions();
          over.countDown();
        });
    try {
      if (!host.reactor().inReactor()) {
        boolean _ = over.await(LEAVING_MS, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    service.close();
  }

  /** Those that carry memory. Reactor. */
  private void endSessions() {
    for (Handshake h : new ArrayList<>(sessions.values())) {
      if (h.session().lanes().isUsed()) {
        h.session().fail("the process leaves");
      }
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    announcements.close();
    if (sharesMemory) {
      endMemory();
    }
    for (Fabric fabric : fabrics.values()) {
      fabric.close();
    }
  }
}
