package org.slipstream.provider.net;

import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.util.function.Supplier;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.KernelWait;

/** Makes the implementations of sockets, or of server sockets. */
public final class SlipstreamSocketFactory implements SocketImplFactory, Runnable {
  private final Supplier<Installation> installation;
  private final boolean server;

  /**
   * Makes a factory.
   *
   * @param installation whose core carries the streams
   * @param server whether it is for {@link java.net.ServerSocket}
   */
  public SlipstreamSocketFactory(Installation installation, boolean server) {
    this(() -> installation, server);
  }

  /** Makes one that starts nothing before the first socket. */
  SlipstreamSocketFactory(Supplier<Installation> installation, boolean server) {
    this.installation = installation;
    this.server = server;
  }

  /** The program sets a factory of its own: both of ours step aside, with one line. */
  @Override
  public void run() {
    SocketFactories.stepAside();
  }

  @Override
  public SocketImpl createSocketImpl() {
    SlipstreamCore core = installation.get().core();
    if (core == null) { // which has been said
      return SocketFactories.platformSocket(server);
    }
    KernelWait.prepare();
    return server ? new SlipstreamServerSocketImpl(core) : new SlipstreamSocketImpl(core);
  }
}
