package org.slipstream.provider.net;

import java.net.Socket;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.KernelWait;

/** Makes the implementations of sockets, or of server sockets. */
public final class SlipstreamSocketFactory implements SocketImplFactory, Runnable {
  /** Not before the first socket. */
  private static final class Callers {
    static final StackWalker WALKER =
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
  }

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
    return createSocketImpl(
        !server && Callers.WALKER.walk(SlipstreamSocketFactory::isForcedDirect));
  }

  /**
   * {@code new Socket(Proxy.NO_PROXY)} asks the factory as every other constructor does, and passes
   * nothing; but only that one calls it directly, the others through a method of their own.
   */
  private static boolean isForcedDirect(Stream<StackWalker.StackFrame> frames) {
    return frames
        .skip(1) // ours
        .findFirst()
        .filter(f -> f.getDeclaringClass() == Socket.class && f.getMethodName().equals("<init>"))
        .isPresent();
  }

  /**
   * Makes an implementation.
   *
   * @param direct whether the socket connects directly, whatever the JVM's proxy selector says
   * @return not yet created
   */
  public SocketImpl createSocketImpl(boolean direct) {
    SlipstreamCore core =
        (installation == null ? Installation.get() : installation).unwrap(SlipstreamCore.class);
    if (core == null) { // which has been said
      return FactorySlots.platformSocket(SlipstreamSocketFactory.class, server, direct);
    }
    KernelWait.prepare();
    return server ? new SlipstreamServerSocketImpl(core) : new SlipstreamSocketImpl(core, direct);
  }
}
