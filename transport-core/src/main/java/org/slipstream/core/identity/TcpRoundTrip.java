package org.slipstream.core.identity;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.doorbell.Descriptors;
import org.slipstream.core.stream.WaitingConnection;
import org.slipstream.transport.CLibrary;

/**
 * How long the kernel takes a round trip of a TCP connection to be, where it and the JDK let us
 * ask: with the agent. Any thread; nothing waits.
 */
public final class TcpRoundTrip {
  private static final long NANOS_OF_MICRO = 1_000;

  private final @Nullable Descriptors descriptors;

  /**
   * Asks nothing yet.
   *
   * @param descriptors of the JDK; null = no connection tells
   */
  public TcpRoundTrip(@Nullable Descriptors descriptors) {
    this.descriptors = descriptors;
  }

  /**
   * The kernel's smoothed round trip, of segments and their acknowledgements: no program is in it.
   *
   * @param tcp a connection
   * @return in nanoseconds; negative if it is not known
   */
  public long nanos(SocketChannel tcp) {
    Descriptors known = descriptors;
    if (known == null || !CLibrary.isAllowed()) {
      return -1;
    }
    try {
      SocketChannel kernel = WaitingConnection.kernelOf(tcp);
      long micros = KernelSocket.roundTripMicros(known.number(kernel));
      // If it was open until now, then the number was that of its descriptor.
      return micros <= 0 || !kernel.isOpen() ? -1 : micros * NANOS_OF_MICRO;
    } catch (IOException e) {
      return -1; // closed
    }
  }
}
