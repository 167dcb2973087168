package org.slipstream.benchmarks.jcstress;

import java.net.Socket;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slipstream.testkit.StubChannel;

/**
 * A TCP connection without a kernel: what is written arrives at its peer, or nowhere if it has
 * none. Non-blocking; one writer and one reader at a time, as the locks of a stream see to it.
 */
final class StubConnection extends StubChannel {
  private static final int CAPACITY = 256;

  /** Urgent bytes go nowhere. */
  private static final Socket SOCKET =
      new Socket() {
        @Override
        public void sendUrgentData(int data) {
          // The peer's kernel drops it unread.
        }
      };

  private final byte[] bytes = new byte[CAPACITY];

  /** How many bytes have arrived; written by the peer's writer. */
  private volatile int arrived;

  /** How many of them were read. */
  private int taken;

  private @Nullable StubConnection peer;

  /** Two ends of one connection. */
  static void connect(StubConnection a, StubConnection b) {
    a.peer = b;
    b.peer = a;
  }

  /** What a kernel does with a segment. */
  void arrives(ByteBuffer src) {
    int n = src.remaining();
    int at = arrived;
    src.get(bytes, at, n);
    arrived = at + n;
  }

  @Override
  public int read(ByteBuffer dst) {
    int n = Math.min(dst.remaining(), arrived - taken);
    dst.put(bytes, taken, n);
    taken += n;
    return n;
  }

  @Override
  public int write(ByteBuffer src) {
    int n = src.remaining();
    if (peer != null) {
      peer.arrives(src);
    } else {
      src.position(src.limit());
    }
    return n;
  }

  @Override
  public Socket socket() {
    return SOCKET;
  }

  @Override
  @SuppressWarnings("unchecked") // The type of an option's value is a matter of its name.
  public <T> T getOption(SocketOption<T> name) {
    Object off = -1;
    Object on = true;
    return (T) (name.equals(StandardSocketOptions.SO_LINGER) ? off : on);
  }
}
