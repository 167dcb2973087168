package org.slipstream.testkit.fault;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.Availability;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Refusal;
import org.slipstream.transport.Session;
import org.slipstream.transport.Transport;
import org.slipstream.transport.TransportHost;

/**
 * Wraps a transport whose peers are all in this process. What goes wrong follows from a seed, and
 * from the order in which threads come by.
 */
public final class FaultyTransport implements Transport {
  private static final int LONGEST_FLIGHT_NS = 200_000;

  private final Transport works;
  private final Faults faults;
  private final SplittableRandom random; // guarded by itself
  private final Map<Session, FaultySession> sessions = new ConcurrentHashMap<>();

  /** By the own window, so that each end of a link finds the other. */
  private final Map<Place, PostedLink> links = new ConcurrentHashMap<>();

  /**
   * A window.
   *
   * @param owner whose it is: two processes may call different windows the same
   * @param descriptor what its owner calls it
   */
  record Place(ProcessId owner, ByteBuffer descriptor) {}

  private final LinkedBlockingQueue<PostedLink> onTheWay = new LinkedBlockingQueue<>();
  private final AtomicInteger severed = new AtomicInteger();

  /**
   * Makes one.
   *
   * @param works what moves the bytes
   * @param faults what goes wrong
   * @param seed of all that is random
   */
  public FaultyTransport(Transport works, Faults faults, long seed) {
    this.works = works;
    this.faults = faults;
    this.random = new SplittableRandom(seed);
    if (faults.posted()) {
      Thread.ofPlatform().daemon().name("faulty-wire").start(this::carry);
    }
  }

  /** What was posted arrives at last, also if the writer posts nothing behind it. */
  private void carry() {
    SplittableRandom own = split();
    try {
      for (; ; ) {
        PostedLink link = onTheWay.take();
        LockSupport.parkNanos(own.nextInt(LONGEST_FLIGHT_NS));
        link.arrive();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  SplittableRandom split() {
    synchronized (random) {
      return random.split();
    }
  }

  Faults faults() {
    return faults;
  }

  void posted(PostedLink link) {
    onTheWay.add(link);
  }

  void joined(Place own, PostedLink link) {
    links.put(own, link);
  }

  @Nullable PostedLink linkAt(Place window) {
    return links.get(window);
  }

  void released(Place own, PostedLink link) {
    links.remove(own, link);
  }

  /**
   * Cuts all sessions, with both ends alive. What was posted and has not arrived is lost. Any
   * thread; the streams learn of it a little later.
   *
   * @return how many sessions there were
   */
  public int sever() {
    List<FaultySession> live = List.copyOf(sessions.values());
    live.forEach(FaultySession::sever);
    severed.addAndGet(live.size());
    return live.size();
  }

  /**
   * What {@link #sever} has done.
   *
   * @return how many sessions were cut
   */
  public int severed() {
    return severed.get();
  }

  @Override
  public String name() {
    return works.name();
  }

  @Override
  public Availability availability() {
    return works.availability();
  }

  @Override
  public Endpoint open(TransportHost host) throws IOException {
    return new FaultyEndpoint(works.open(new FaultyHost(host, this)), host.processId());
  }

  FaultySession wrap(Session session, ProcessId own) {
    return sessions.computeIfAbsent(session, s -> new FaultySession(s, own, this));
  }

  FaultySession lost(Session session, ProcessId own) {
    FaultySession wrapped = sessions.remove(session);
    return wrapped == null ? new FaultySession(session, own, this) : wrapped;
  }

  private final class FaultyEndpoint implements Endpoint {
    private final Endpoint inner;
    private final ProcessId own;

    FaultyEndpoint(Endpoint inner, ProcessId own) {
      this.inner = inner;
      this.own = own;
    }

    @Override
    public Closeable announce(InetSocketAddress address) throws IOException {
      return inner.announce(address);
    }

    @Override
    public void beVisible() {
      inner.beVisible();
    }

    @Override
    public boolean reaches(InetSocketAddress local, InetSocketAddress remote) {
      return inner.reaches(local, remote);
    }

    @Override
    public int findPeers(InetSocketAddress remote, Consumer<Session> answer, Runnable none) {
      return inner.findPeers(remote, session -> answer.accept(wrap(session, own)), none);
    }

    @Override
    public int findPeers(
        InetSocketAddress local,
        InetSocketAddress remote,
        Consumer<Session> answer,
        Runnable none) {
      return inner.findPeers(local, remote, session -> answer.accept(wrap(session, own)), none);
    }

    @Override
    public @Nullable Refusal refusal(InetSocketAddress local, InetSocketAddress remote) {
      return inner.refusal(local, remote);
    }

    @Override
    public boolean mayFindLater(InetSocketAddress remote) {
      return inner.mayFindLater(remote);
    }

    @Override
    public void close() throws IOException {
      inner.close();
    }
  }
}
