package org.slipstream.core.session;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Reason;
import org.slipstream.core.config.SlipstreamConfig;
import org.slipstream.core.doorbell.Descriptors;
import org.slipstream.core.doorbell.DoorbellSource;
import org.slipstream.core.doorbell.Doorbells;
import org.slipstream.core.doorbell.KernelSwitches;
import org.slipstream.core.identity.FirstSegments;
import org.slipstream.core.identity.TcpRoundTrip;
import org.slipstream.core.status.EndedStreams;
import org.slipstream.core.status.NativeTransports;
import org.slipstream.core.status.ProcessCounters;
import org.slipstream.core.status.SessionJournal;
import org.slipstream.core.status.SlipstreamBean;
import org.slipstream.core.status.StatusJson;
import org.slipstream.core.status.StreamJournal;
import org.slipstream.core.stream.InterruptScope;
import org.slipstream.core.stream.LateControlBytes;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamHost;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.core.stream.WaitingConnection;
import org.slipstream.core.wait.LoadSensor;
import org.slipstream.core.wait.ThreadSwitches;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.MessageCode;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;
import org.slipstream.transport.Transport;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.TransportSettings;

/**
 * One process's Slipstream: its streams, its sessions, its control thread. Adapters open streams
 * here.
 *
 * <p>Nothing but memory is touched until the first TCP stream or listener needs it.
 */
public final class SlipstreamCore implements StreamHost, TransportHost, DoorbellSource {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream");

  private final SlipstreamConfig config;
  private final SelectorProvider jdk;
  private final LoadSensor sensor;
  private final MemoryBudget budget;

  /** Null until a transport asks; guarded by {@link #transports}. */
  private @Nullable ProcessId processId;

  private final ControlThread control;

  private final Transports transports;
  private final Nudger nudger;
  private final LinkTable links;
  private final Offers offers;
  private final LostStreams lost;
  private final AcceptedStreams accepted;
  private final FirstSegments segments;
  private final TcpRoundTrip roundTrip;
  private final TranslatedStreams translated;
  private final FrameHandler frames;
  private final Admission admission;
  private final Visibility visibility;
  private final @Nullable Descriptors descriptors;
  private final Map<Stream, Registration> streams = new ConcurrentHashMap<>();
  private final SessionJournal sessions =
      new SessionJournal(
          System::nanoTime, session -> SessionJournal.streamsOf(session, streams.keySet()));
  private final StreamJournal journal = new StreamJournal(streams.keySet(), sessions);
  private final SlipstreamBean bean =
      new SlipstreamBean(journal, streams.keySet(), () -> StatusJson.sessions(sessions));
  private final SlowCarriers slow = new SlowCarriers(System::nanoTime);
  private final NativeTransports nativeTransports = new NativeTransports();
  private final EligibleStreams eligible;

  /** Made by the first thread that needs it. Guarded by {@link #budget}. */
  private @Nullable Doorbells doorbells;

  /** One line for the user is enough. */
  private final AtomicBoolean warned = new AtomicBoolean();

  /** What has to be undone when a stream closes; empty for a client's. */
  private record Registration(@Nullable Tuple tuple, @Nullable Announcement announcement) {
    static final Registration NONE = new Registration(null, null);
  }

  private SlipstreamCore(
      SlipstreamConfig config,
      SelectorProvider jdk,
      Predicate<SocketChannel> connected,
      @Nullable Descriptors descriptors)
      throws IOException {
    this.config = config;
    this.descriptors = config.pipeDoorbells() ? descriptors : null;
    this.jdk = jdk;
    this.sensor = new LoadSensor(config.cpus(), this::countSwitches);
    this.budget = new MemoryBudget(config.memoryLimit());
    this.control = new ControlThread(jdk.openSelector());
    this.nudger = new Nudger(control);
    this.links = new LinkTable(control, this::linkLost, this::sessionProven, this);
    this.segments = new FirstSegments(descriptors, control);
    this.roundTrip = new TcpRoundTrip(descriptors);
    this.accepted =
        new AcceptedStreams(links, control, new PathBeacons(jdk, control), connected, segments);
    this.admission = new Admission(config, streams.keySet(), control, nudger);
    this.transports = new Transports(this, control);
    this.visibility = new Visibility(transports.endpoints(), control, System::nanoTime);
    this.lost = new LostStreams(control, nudger::nudge, links::findPeerOf, this::offerIfAllowed);
    this.offers =
        new Offers(
            links,
            transports.endpoints(),
            nudger,
            new Probes(jdk, control),
            lost::retry,
            lost::seek,
            slow::isAway,
            this::unmatched);
    this.translated =
        new TranslatedStreams(transports.endpoints(), links, segments, offers, control);
    this.frames = new FrameHandler(accepted, offers, translated, links, nudger);
    this.eligible =
        new EligibleStreams(
            control,
            this::offerIfAllowed,
            new OfferDelay(config.longestHoldMillis() / EligibleStreams.TICK_MS));
  }

  /**
   * Starts Slipstream in this process: the control thread and every available transport.
   *
   * @param config the settings
   * @param jdk the JDK's own provider
   * @param connected whether the kernel still has a peer for a connected socket
   * @param descriptors of the JDK; null = event loops are woken on their TCP connections
   * @param transports the backends
   * @return the running core
   * @throws IOException without descriptors, for example
   */
  public static SlipstreamCore start(
      SlipstreamConfig config,
      SelectorProvider jdk,
      Predicate<SocketChannel> connected,
      @Nullable Descriptors descriptors,
      Iterable<Transport> transports)
      throws IOException {
    SlipstreamCore core = new SlipstreamCore(config, jdk, connected, descriptors);
    core.control.start();
    core.transports.open(config, transports);
    return core;
  }

  /**
   * As {@link #start}, but the control thread looks for the transports: the program's first connect
   * need not wait for that, and a listener that is announced does. What is wrong with them leaves
   * all streams plain, with one line on standard error.
   *
   * @param config the settings
   * @param jdk the JDK's own provider
   * @param connected whether the kernel still has a peer for a connected socket
   * @param descriptors of the JDK; null = event loops are woken on their TCP connections
   * @param transports the backends
   * @return the running core
   * @throws IOException without descriptors, for example
   */
  public static SlipstreamCore startSoon(
      SlipstreamConfig config,
      SelectorProvider jdk,
      Predicate<SocketChannel> connected,
      @Nullable Descriptors descriptors,
      Iterable<Transport> transports)
      throws IOException {
    SlipstreamCore core = new SlipstreamCore(config, jdk, connected, descriptors);
    core.control.execute(() -> {
      try {
        core.transports.open(config, transports);
      } catch (RuntimeException | Error e) {
        // Any Error: a backend may miss a class, and a process without descriptors all of them.
        core.warn("all streams stay on TCP: " + e.getMessage());
      }
    });
    core.control.start();
    return core;
  }

  /**
   * The backends on the class path or module path.
   *
   * @param loader the class loader of the product
   * @return lazily found transports
   */
  public static Iterable<Transport> installedTransports(ClassLoader loader) {
    return ServiceLoader.load(Transport.class, loader);
  }

  /**
   * Removes what other processes see of this one, and control bytes that would turn the kernel's
   * end of a stream into a reset, and nothing else: a program may still finish its responses in a
   * shutdown hook of its own, and the kernel closes the rest. Idempotent.
   */
  public void leave() {
    control.leave();
    for (Stream stream : streams.keySet()) {
      try {
        stream.takeControlBytes();
      } catch (IOException | RuntimeException | InternalError e) {
        LOG.log(Level.DEBUG, "Leaving a stream", e); // it ends with the process all the same
      }
    }
    transports.leave();
    Doorbells made = madeDoorbells();
    if (made != null) {
      made.futexes().leave();
    }
  }

  /** Leaves and ends all sessions; streams that travel on them end too. Idempotent. */
  public void stop() {
    leave();
    try {
      control.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // -- for adapters -------------------------------------------------------------------------------

  /**
   * The JDK's own provider.
   *
   * @return never ours
   */
  public SelectorProvider jdk() {
    return jdk;
  }

  /**
   * Where event loops get their pipes from, and blocked readers their futexes. An adapter that is
   * there without this module is verified without it, too, so it is not given this class where it
   * needs an interface.
   *
   * @return this core
   */
  @Override
  public DoorbellSource doorbellSource() {
    return this;
  }

  private @Nullable Doorbells madeDoorbells() {
    synchronized (budget) {
      return doorbells;
    }
  }

  @Override
  public @Nullable Doorbells doorbells() {
    Descriptors known = descriptors;
    if (known == null) {
      return null;
    }
    synchronized (budget) {
      Doorbells made = doorbells;
      if (made == null) {
        made = new Doorbells(known, jdk, control);
        doorbells = made;
      }
      return made;
    }
  }

  /**
   * Makes the stream of a channel that will connect.
   *
   * @param tcp an open channel of the JDK's own provider
   * @param scope brackets waits
   * @return a plain stream
   */
  public Stream connecting(SocketChannel tcp, InterruptScope scope) {
    return new Stream(tcp, true, scope, this);
  }

  /**
   * The connect has succeeded.
   *
   * @param stream from {@link #connecting}
   */
  public void connected(Stream stream) {
    journal.opened(stream); // first: never more are open than were opened
    streams.put(stream, Registration.NONE);
    admission.streamOpened();
    if (config.eagerMillis() > 0) {
      control.execute(() -> offerIfAllowed(stream));
    }
  }

  /**
   * Makes the stream of an accepted channel.
   *
   * @param tcp a connected channel of the JDK's own provider
   * @param scope brackets waits
   * @param listener what other processes know of its listener
   * @return a plain stream that may be upgraded by the peer's offer
   * @throws IOException the connection is already gone
   */
  public Stream accepted(SocketChannel tcp, InterruptScope scope, Announcement listener)
      throws IOException {
    Stream stream = new Stream(tcp, false, scope, this);
    SocketAddress remote = tcp.getRemoteAddress();
    SocketAddress local = tcp.getLocalAddress();
    journal.opened(stream);
    Tuple tuple =
        remote instanceof InetSocketAddress r && local instanceof InetSocketAddress l
            ? Tuple.of(r, l)
            : null;
    if (tuple != null && listener.retain()) {
      register(stream, tuple, listener);
    } else {
      streams.put(stream, Registration.NONE);
    }
    admission.streamOpened();
    return stream;
  }

  private void register(Stream stream, Tuple tuple, Announcement listener) {
    try {
      streams.put(stream, new Registration(tuple, listener));
    } catch (OutOfMemoryError e) {
      listener.release();
      throw e;
    }
    try {
      visibility.accepted();
      if (!admission.forbids(stream)) {
        accepted.add(tuple, stream);
      }
    } catch (OutOfMemoryError e) {
      closed(stream); // as its connection will be
      throw e;
    }
  }

  /**
   * As {@link #announce(InetSocketAddress)}, of a listener whose connections are known to their
   * clients also behind a translation of addresses.
   *
   * @param listener of the JDK's own provider, bound
   * @param address where
   * @return closed with the listener
   */
  public Announcement announce(ServerSocketChannel listener, InetSocketAddress address) {
    segments.keep(listener);
    return announce(address);
  }

  /**
   * Says to other processes that this one listens. A failure is logged and leaves the listener
   * plain.
   *
   * @param address where
   * @return closed with the listener
   */
  public Announcement announce(InetSocketAddress address) {
    return transports.announce(address);
  }

  /** As {@link #announce(InetSocketAddress)}, but waits only so long for the transports. */
  Announcement announce(InetSocketAddress address, long nanos) {
    return transports.announce(address, nanos);
  }

  // -- StreamHost ------------------------------------------------------------------------------

  @Override
  public LoadSensor loadSensor() {
    return sensor;
  }

  /** By the control thread: the first count loads classes. */
  private void countSwitches() {
    try {
      control.execute(() -> {
        ThreadSwitches count = KernelSwitches.ifCheap();
        if (count != null) {
          sensor.countBy(count);
        }
      });
    } catch (OutOfMemoryError e) {
      // it is asked for again, at a later pause
    }
  }

  @Override
  public int maxSpinNanos() {
    return config.maxSpinMicros() * 1_000;
  }

  @Override
  public long firstWriteGraceNanos() {
    return config.eagerMillis() * 1_000_000L;
  }

  @Override
  public void eligible(Stream stream) {
    if (stream.isClient() && transports.someOrSoon()) {
      eligible.add(stream);
    }
  }

  /** No process has it by its addresses, so far. */
  private void unmatched(Stream stream) {
    translated.unmatched(stream);
  }

  /** Whatever goes wrong with one stream, the others have their turn, and the clock goes on. */
  private void offerIfAllowed(Stream stream) {
    try {
      visibility.look(); // it may stay plain, and operators want to know why
      if (!admission.forbids(stream)) {
        offers.offer(stream);
      }
    } catch (OutOfMemoryError e) {
      throw e; // the caller does it again
    } catch (RuntimeException | Error e) {
      // Any Error: a process without descriptors fails to load classes.
      ControlThread.warn("A stream stays on TCP", e);
    }
  }

  @Override
  public void closed(Stream stream) {
    Registration registration = streams.get(stream);
    if (registration == null || !leave(stream)) {
      return;
    }
    if (registration.tuple != null) {
      accepted.remove(registration.tuple, stream);
    }
    if (registration.announcement != null) {
      registration.announcement.release();
    }
    if (stream.isClient() && (isLookedAfter(stream) || translated.knows(stream))) {
      control.execute(() -> {
        translated.forget(stream);
        offers.withdraw(stream);
        lost.forget(stream);
      });
    }
  }

  /** What is kept of a closed stream would be kept for ever. */
  private boolean leave(Stream stream) {
    for (int attempt = 1; ; attempt++) {
      try {
        return journal.closed(stream);
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  /** Whether there may be an offer of it, or it waits for another link. */
  private static boolean isLookedAfter(Stream stream) {
    Reason reason = stream.reason();
    StreamLink link = stream.link();
    return (reason != Reason.NOT_YET_ELIGIBLE && reason != Reason.NONE)
        || (link != null && link.isDead());
  }

  @Override
  public void joined(Stream stream) {
    lost.forget(stream); // by the control thread, as every link is
    boolean another = links.isAnother(stream);
    StreamLink link = stream.link();
    if (another && link != null) {
      sessions.returned(link.session());
    }
    journal.joined(stream, another);
    bean.registerIfManaged();
  }

  @Override
  public void stayedPlain(Stream stream, Reason why) {
    journal.stayedPlain(stream, why);
  }

  @Override
  public void waited(Stream stream, boolean reading, long nanos) {
    journal.waited(stream, reading, nanos);
  }

  @Override
  public void answered(Stream stream, long medianNanos, boolean onRing) {
    StreamLink link = stream.link();
    if (link != null && (!onRing || medianNanos > SlowCarrierRule.SPIN_NS)) {
      control.execute(() ->
          slow.answered(link.session(), medianNanos, onRing, () -> roundTrip.nanos(stream.tcp())));
    }
  }

  @Override
  public void linger(SocketChannel tcp, @Nullable ByteBuffer unsent, LateControlBytes late) {
    LingeringConnection.keep(WaitingConnection.kernelOf(tcp), unsent, late, control);
  }

  // -- TransportHost ---------------------------------------------------------------------------

  @Override
  public ProcessId processId() {
    synchronized (transports) {
      ProcessId id = processId;
      if (id == null) {
        id = ProcessId.random();
        processId = id;
      }
      return id;
    }
  }

  @Override
  public Reactor reactor() {
    return control;
  }

  @Override
  public MemoryBudget budget() {
    return budget;
  }

  @Override
  public TransportSettings settings() {
    return config.transportSettings();
  }

  @Override
  public SocketChannel openSocketChannel(StandardProtocolFamily family) throws IOException {
    return jdk.openSocketChannel(family);
  }

  @Override
  public ServerSocketChannel openServerSocketChannel(StandardProtocolFamily family)
      throws IOException {
    return jdk.openServerSocketChannel(family);
  }

  @Override
  public void sessionOpened(Session session) {
    sessions.opened(session); // not logged: a logger costs a young process a hundred classes
    journal.sessionOpened();
    frames.sessionOpened(session);
  }

  @Override
  public void frameReceived(Session session, ByteBuffer frame) throws IOException {
    frames.received(session, frame);
  }

  @Override
  public void sessionLost(Session session, String cause) {
    LOG.log(Level.DEBUG, () -> "Session with " + session.peer() + " is over: " + cause);
    frames.sessionLost(session); // first: the streams that lose a link are counted for it
    sessions.ended(session, cause);
    journal.sessionEnded();
  }

  @Override
  public void sessionRefused(String transport, InetSocketAddress remote, String why) {
    sessions.refused(transport, remote, why);
  }

  private void sessionProven(Session session) {
    accepted.sessionProven(session);
  }

  @Override
  public boolean hasAcceptedFrom(InetAddress client) {
    return accepted.hasAcceptedFrom(client);
  }

  private void linkLost(Stream stream, boolean first) {
    if (first) {
      StreamLink link = stream.link();
      if (link != null) {
        sessions.lostStream(link.session());
      }
      journal.failedOver(stream);
    }
    lost.add(stream);
  }

  @Override
  public void warn(String sentence) {
    if (!warned.getAndSet(true)) {
      System.err.println(MessageCode.STAYS_ON_TCP.line(sentence));
    }
  }

  @Override
  public String inspect(String question) {
    if (question.equals("totals")) {
      return StatusJson.totals(counters());
    }
    if (question.equals("sessions")) {
      return StatusJson.sessions(sessions);
    }
    String answer = admission.command(question);
    return answer != null
        ? answer
        : StatusJson.process(streams.keySet(), nativeTransports.members(streams.size()));
  }

  /**
   * Tools are to find the process now, and not with its first stream. Waits for transports that are
   * being opened, ten seconds at most. Any thread but the control thread.
   */
  public void beVisible() {
    transports.beVisible();
  }

  /**
   * A library of the program opens connections in native code, which are none of our streams: tools
   * are to find the process and to hear of it.
   *
   * @param name for the operator
   * @param advice what makes its connections ours
   */
  public void addNativeTransport(String name, String advice) {
    nativeTransports.add(name, advice);
    control.execute(visibility::look);
  }

  /**
   * What all streams of the process have done.
   *
   * @return a snapshot
   */
  public ProcessCounters counters() {
    return journal.counters();
  }

  /**
   * How many of the streams that are closed have used the ring.
   *
   * @return at this moment
   */
  public EndedStreams ended() {
    return journal.ended();
  }

  /**
   * What must be zero again when all streams are closed.
   *
   * @return streams, links, offers under way, unmatched offers, streams that wait for a link, and
   *     streams whose peer was searched for behind a translation of addresses
   */
  public int[] census() {
    return new int[] {
      streams.size(),
      links.size(),
      offers.size(),
      accepted.waitingOffers(),
      lost.size(),
      translated.size()
    };
  }
}
