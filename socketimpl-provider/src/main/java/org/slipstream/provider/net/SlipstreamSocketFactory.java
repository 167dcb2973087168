package org.slipstream.provider.net;

import java.net.SocketImpl;
import java.net.SocketImplFactory;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.KernelWait;
import org.slipstream.transport.MessageCode;

/** Makes the implementations of sockets, or of server sockets. */
public final class SlipstreamSocketFactory implements SocketImplFactory, Runnable {
  /** Null for that of the process, which the first socket starts. */
  private final @Nullable Installation installation;

  private final boolean server;

  /**
   * Makes a factory.
   *
   * @param installation whose core carries the streams
   * @param server whether it is for {@link java.net.ServerSocket}
   */
  public SlipstreamSocketFactory(Installation installation, boolean server) {
    this.installation = installation;
    this.server = server;
  }

  /** Makes one that starts nothing before the first socket. */
  SlipstreamSocketFactory(boolean server) {
    this.installation = null;
    this.server = server;
  }

  /** The program sets a factory of its own: both of ours step aside, with one line. */
  @Override
  public void run() {
    FactorySlots.stepAside(SlipstreamSocketFactory.class);
  }

  @Override
  public SocketImpl createSocketImpl() {
    return createSocketImpl(server ? null : new ProxyBypass());
  }

  /**
   * Makes an implementation that connects directly, whatever the JVM's proxy selector says.
   *
   * @return not yet created
   */
  public SocketImpl createDirectSocketImpl() {
    return createSocketImpl(null);
  }

  /** Makes one; null connects directly. */
  private SocketImpl createSocketImpl(@Nullable ProxyBypass bypass) {
    SlipstreamCore core =
        (installation == null ? Installation.get() : installation).unwrap(SlipstreamCore.class);
    if (core == null || !canWait()) { // which has been said
      boolean direct = bypass == null || bypass.isWanted();
      return FactorySlots.platformSocket(SlipstreamSocketFactory.class, server, direct);
    }
    return server ? new SlipstreamServerSocketImpl(core) : new SlipstreamSocketImpl(core, bypass);
  }

  /** Whether this JDK has what sockets wait with; another one may not. */
  private static boolean canWait() {
    try {
      KernelWait.prepare();
      return true;
    } catch (LinkageError e) {
      Throwable why = e.getCause();
      if (e instanceof ExceptionInInitializerError && why != null) { // that is, the first time
        System.err.println(
            MessageCode.JDK_SOCKETS.line("java.net sockets stay plain TCP: " + why.getMessage()));
      }
      return false;
    }
  }
}
