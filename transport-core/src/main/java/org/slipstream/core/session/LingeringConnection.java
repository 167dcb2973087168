package org.slipstream.core.session;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.LateControlBytes;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.Reactor;

/**
 * The TCP connection of a closed stream, half-closed: takes the control bytes that the peer sent
 * before it heard of the close, so that the kernel does not answer them with a reset that would
 * cost bytes of ours that are still under way. Data is answered by a reset, as the kernel does. If
 * the program had shut down the input, no reader can take them; then the bytes just get their time.
 * Reactor only, but for {@link #keep}.
 */
final class LingeringConnection implements Reactor.Handler {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.linger");

  /** After so long the kernel alone keeps what is unsent, as after any close. */
  private static final long GRACE_NS = 5_000_000_000L;

  private static final int PIECE_BYTES = 256;

  private final SocketChannel tcp;

  /** Goes out before the TCP connection is half-closed. */
  private @Nullable ByteBuffer unsent;

  /** Tells control bytes from data. */
  private final LateControlBytes late;

  private final ByteBuffer received = ByteBuffer.allocate(PIECE_BYTES);

  private LingeringConnection(
      SocketChannel tcp, @Nullable ByteBuffer unsent, LateControlBytes late) {
    this.tcp = tcp;
    this.unsent = unsent;
    this.late = late;
  }

  /** Takes over a TCP connection in non-blocking mode. Any thread. */
  static void keep(
      SocketChannel tcp, @Nullable ByteBuffer unsent, LateControlBytes late, Reactor reactor) {
    LingeringConnection lingering = new LingeringConnection(tcp, unsent, late);
    int ops = lingering.readOps() | (unsent == null ? 0 : SelectionKey.OP_WRITE);
    reactor.execute(() -> {
      try {
        reactor.register(tcp, ops, lingering);
        reactor.schedule(GRACE_NS, lingering::close);
      } catch (ClosedChannelException e) {
        LOG.log(Level.DEBUG, "Closed meanwhile", e);
      } catch (IOException | RuntimeException e) {
        LOG.log(Level.DEBUG, "No lingering close", e);
        lingering.close();
      }
    });
  }

  private int readOps() {
    return tcp.socket().isInputShutdown() ? 0 : SelectionKey.OP_READ;
  }

  @Override
  public void ready(SelectionKey key) throws IOException {
    ByteBuffer rest = unsent;
    if (rest != null) {
      tcp.write(rest);
      if (!rest.hasRemaining()) {
        unsent = null;
        tcp.shutdownOutput();
        key.interestOps(readOps());
      }
    }
    if (readOps() == 0) {
      return;
    }
    if (tcp.read(received.clear()) < 0) {
      close();
    } else if (!late.accept(received.flip())) {
      tcp.setOption(StandardSocketOptions.SO_LINGER, 0);
      close();
    }
  }

  private void close() {
    try {
      tcp.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Closing a lingering TCP connection", e);
    }
  }
}
