package org.slipstream.provider.net;

import java.net.Socket;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.Stream;

/**
 * How far a socket has come, and the stream or proxied socket that it stands for. Written by the
 * threads that create, connect, accept into and close it; read by any thread.
 */
final class SocketState {
  private volatile @Nullable SocketConnection tcp;
  private volatile @Nullable Stream stream;
  private volatile @Nullable Socket proxied;
  private volatile boolean connected;
  private volatile boolean closed;

  /** The stream of a socket that is created and not closed. */
  Stream open() throws SocketException {
    Stream s = stream;
    if (s == null) {
      throw new SocketException("Socket not created");
    }
    if (closed) {
      throw new SocketException(SocketErrors.CLOSED);
    }
    return s;
  }

  Stream openAndConnected() throws SocketException {
    Stream s = stream;
    if (s == null || (!connected && !closed)) {
      throw new SocketException("Not connected");
    }
    return open();
  }

  /** Null before the socket is created. */
  @Nullable Stream stream() {
    return stream;
  }

  SocketConnection kernelSide() throws SocketException {
    SocketConnection a = tcp;
    if (a == null) {
      throw new SocketException("Socket not created");
    }
    return a;
  }

  /** The kernel connection; null before the socket is created. */
  @Nullable SocketConnection tcp() {
    return tcp;
  }

  /** The JDK's socket that goes through a proxy in our place; null if there is none. */
  @Nullable Socket proxied() {
    return proxied;
  }

  boolean isConnected() {
    return connected;
  }

  boolean isClosed() {
    return closed;
  }

  /** The connection is there before the stream: what a stream does at once needs it. */
  void setTcp(SocketConnection made) {
    tcp = made;
  }

  void setStream(Stream made) {
    stream = made;
  }

  /** Connected without a proxy. */
  void connected() {
    proxied = null;
    connected = true;
  }

  void proxiedBy(Socket socket) {
    proxied = socket;
  }

  void closed() {
    closed = true;
  }
}
