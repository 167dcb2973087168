package org.slipstream.core.session;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.InterruptScope;
import org.slipstream.core.stream.LateControlBytes;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamHost;
import org.slipstream.core.wait.LoadSensor;

/** The little that streams need of a process, and loopback connections that can be upgraded. */
final class FakeProcess implements StreamHost, InterruptScope, AutoCloseable {
  private final LoadSensor sensor = new LoadSensor(1);
  private final List<AutoCloseable> open = new ArrayList<>();

  /** Both ends of one connection; each is a stream of its own process. */
  record Connection(Stream client, Stream server, Tuple tuple) {}

  Connection connection() throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      SocketChannel connected = SocketChannel.open(listener.getLocalAddress());
      SocketChannel accepted = listener.accept();
      connected.configureBlocking(false);
      accepted.configureBlocking(false);
      open.add(connected);
      open.add(accepted);
      Tuple tuple =
          Tuple.of(
              (InetSocketAddress) connected.getLocalAddress(),
              (InetSocketAddress) connected.getRemoteAddress());
      return new Connection(
          new Stream(connected, true, this, this), new Stream(accepted, false, this, this), tuple);
    }
  }

  /** The body of an OFFER, behind its id. */
  static ByteBuffer offer(Tuple tuple) {
    ByteBuffer b = ByteBuffer.allocate(Tuple.BYTES + Long.BYTES);
    tuple.put(b);
    return b.putLong(1).flip();
  }

  @Override
  public LoadSensor loadSensor() {
    return sensor;
  }

  @Override
  public int maxSpinNanos() {
    return 0;
  }

  @Override
  public void eligible(Stream stream) {}

  @Override
  public void closed(Stream stream) {}

  @Override
  public void linger(SocketChannel tcp, @Nullable ByteBuffer unsent, LateControlBytes late) {
    try {
      tcp.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void begin() {}

  @Override
  public void end(boolean completed) {}

  @Override
  public boolean mustNotBlock() {
    return false;
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable c : open) {
      c.close();
    }
  }
}
