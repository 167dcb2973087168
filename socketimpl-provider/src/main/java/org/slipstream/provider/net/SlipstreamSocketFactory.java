package org.slipstream.provider.net;

import java.net.SocketImpl;
import java.net.SocketImplFactory;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.KernelWait;

/** Makes the implementations of sockets, or of server sockets. */
public final class SlipstreamSocketFactory implements SocketImplFactory {
  private final SlipstreamCore core;
  private final boolean server;

  /**
   * Makes a factory.
   *
   * @param installation whose core carries the streams
   * @param server whether it is for {@link java.net.ServerSocket}
   * @throws IllegalStateException if Slipstream is off, or the JDK's internals can not be reached
   */
  public SlipstreamSocketFactory(Installation installation, boolean server) {
    SlipstreamCore running = installation.core();
    if (running == null) {
      throw new IllegalStateException("Slipstream is off");
    }
    KernelWait.check();
    this.core = running;
    this.server = server;
  }

  @Override
  public SocketImpl createSocketImpl() {
    return server ? new SlipstreamServerSocketImpl(core) : new SlipstreamSocketImpl(core);
  }
}
