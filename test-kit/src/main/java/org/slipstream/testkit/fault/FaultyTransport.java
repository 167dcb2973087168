package org.slipstream.testkit.fault;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
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
  private final Transport works;
  private final FaultySessions sessions;

  /**
   * Makes one.
   *
   * @param works what moves the bytes
   * @param faults what goes wrong
   * @param seed of all that is random
   */
  public FaultyTransport(Transport works, Faults faults, long seed) {
    this.works = works;
    this.sessions = new FaultySessions(new FaultyWire(faults, seed));
  }

  /**
   * Cuts all sessions, with both ends alive. What was posted and has not arrived is lost. Any
   * thread; the streams learn of it a little later.
   *
   * @return how many sessions there were
   */
  public int sever() {
    return sessions.sever();
  }

  /**
   * Every store takes so long from now on, if stores are posted: a network that is busy. Any
   * thread.
   *
   * @param nanos 0 for what there was before
   */
  public void slowDown(long nanos) {
    sessions.slowDown(nanos);
  }

  /**
   * What {@link #sever} has done.
   *
   * @return how many sessions were cut
   */
  public int severed() {
    return sessions.severed();
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
    return new FaultyEndpoint(
        works.open(new FaultyHost(host, sessions)), sessions, host.processId());
  }

  private static final class FaultyEndpoint implements Endpoint {
    private final Endpoint inner;
    private final FaultySessions sessions;
    private final ProcessId own;

    FaultyEndpoint(Endpoint inner, FaultySessions sessions, ProcessId own) {
      this.inner = inner;
      this.sessions = sessions;
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
      return inner.findPeers(remote, session -> answer.accept(sessions.wrap(session, own)), none);
    }

    @Override
    public int findPeers(
        InetSocketAddress local,
        InetSocketAddress remote,
        Consumer<Session> answer,
        Runnable none) {
      return inner.findPeers(
          local, remote, session -> answer.accept(sessions.wrap(session, own)), none);
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
