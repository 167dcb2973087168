package org.slipstream.core.identity;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.doorbell.Descriptors;
import org.slipstream.core.stream.RawWriteProbe;
import org.slipstream.core.stream.WaitingConnection;
import org.slipstream.transport.CLibrary;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.Reactor;

/**
 * The first segments of this process's connections, where the kernel and the JDK let us ask for
 * them: with the agent.
 */
public final class FirstSegments implements ConnectionNames {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.path");

  private final @Nullable Descriptors descriptors;
  private final Reactor reactor;

  /**
   * Asks nothing yet.
   *
   * @param descriptors of the JDK; null = no connection has a name
   * @param reactor of the process
   */
  public FirstSegments(@Nullable Descriptors descriptors, Reactor reactor) {
    this.descriptors = descriptors;
    this.reactor = reactor;
  }

  @Override
  public boolean areKnown() {
    return descriptors != null && CLibrary.isAllowed();
  }

  /**
   * Has the kernel keep the first segment of each connection that will be accepted: some hundred
   * bytes until it is closed. By the thread that has bound the listener.
   *
   * @param listener of the JDK's own provider
   */
  public void keep(SelectableChannel listener) {
    Descriptors known = descriptors;
    if (known == null || !areKnown()) {
      return;
    }
    try {
      known.keepFirstSegments(listener);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Accepted connections have no names", e);
    }
  }

  @Override
  public @Nullable SegmentHead firstSegment(SocketChannel tcp) {
    Descriptors known = descriptors;
    if (known == null || !areKnown()) {
      return null;
    }
    try {
      SocketChannel kernel = WaitingConnection.kernelOf(tcp);
      ByteBuffer packet = KernelSocket.takeFirstSegment(known.number(kernel));
      // If it was open until now, then the number was that of its descriptor.
      return packet == null || !kernel.isOpen() ? null : SegmentHead.ofPacket(packet);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "An accepted connection has no name", e);
      return null;
    }
  }

  @Override
  public @Nullable RawWriteProbe probe(long madeAt, Consumer<ConnectionName> told) {
    Descriptors known = descriptors;
    if (known == null || !areKnown()) {
      return null;
    }
    KernelSocket.prepare();
    return new NameProbe(known, reactor, madeAt, told);
  }
}
