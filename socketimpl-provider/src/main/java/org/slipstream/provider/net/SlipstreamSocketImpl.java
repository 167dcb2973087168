package org.slipstream.provider.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ref.Cleaner.Cleanable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.core.session.Announcement;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.core.stream.Stream;

/**
 * A {@code java.net} socket over a stream. If a SOCKS proxy is in the way, over a socket of the
 * JDK's own.
 */
public final class SlipstreamSocketImpl extends SocketImpl implements SocketData {
  /** As the JDK's own: a larger read returns less. */
  private static final int MAX_READ = 128 * 1024;

  private final SlipstreamCore core;

  /**
   * Says whether the program wants no proxy; null if it is known that there is none, and once a
   * connect has begun. The thread that connects, and before it the one that makes the socket.
   */
  private @Nullable ProxyBypass bypass;

  private final SocketScope scope = new SocketScope();
  private final SocketState state = new SocketState();
  private final SocketSettings settings = new SocketSettings(state);

  /** Of the stream. Written by the thread that creates the socket, or accepts into it. */
  private volatile @Nullable Cleanable lost;

  /** The end was read: as in the JDK's own, that stays so even after close. */
  private volatile boolean endRead;

  SlipstreamSocketImpl(SlipstreamCore core, @Nullable ProxyBypass bypass) {
    this.core = core;
    this.bypass = bypass;
  }

  /**
   * What carries the socket.
   *
   * @return null before the socket is made, or behind a proxy
   */
  public @Nullable StreamStatus status() {
    Stream stream = state.stream();
    return stream == null || state.proxied() != null ? null : stream.status();
  }

  // -- beginning -------------------------------------------------------------------------------

  @Override
  protected void create(boolean isStream) throws IOException {
    if (!isStream) {
      throw new IOException("Datagram socket creation not supported");
    }
    if (state.stream() != null) {
      throw new IOException("Already created");
    }
    SocketConnection made = new SocketConnection(core.jdk().openSocketChannel());
    state.setTcp(made);
    scope.use(made);
    use(core.connecting(made, scope));
  }

  /**
   * The kernel accepted a connection for us. A subclass of {@code ServerSocket} may accept into a
   * socket that was in use: as in the JDK's own, it begins anew, and keeps nothing but its timeout.
   */
  void accepted(SocketChannel kernel, Announcement listener) throws IOException {
    if (state.isClosed()) {
      throw new SocketException("Socket is closed");
    }
    bypass = null;
    Stream before = state.stream();
    Socket proxiedBefore = state.proxied();
    SocketConnection made = new SocketConnection(kernel);
    state.setTcp(made);
    scope.use(made);
    use(core.accepted(made, scope, listener));
    addresses(made);
    endRead = false;
    state.connected();
    settings.connected();
    if (before != null) {
      before.close(true);
    }
    if (proxiedBefore != null) {
      proxiedBefore.close();
    }
  }

  private void use(Stream made) {
    state.setStream(made);
    lost = LostSocket.await(this, () -> made.close(true));
  }

  private void addresses(SocketConnection of) throws IOException {
    if (of.getRemoteAddress() instanceof InetSocketAddress remote) {
      address = remote.getAddress();
      port = remote.getPort();
    }
    if (of.getLocalAddress() instanceof InetSocketAddress local) {
      localport = local.getPort();
    }
  }

  @Override
  protected void bind(InetAddress host, int wanted) throws IOException {
    state.open();
    SocketConnection a = state.kernelSide();
    try {
      a.bind(new InetSocketAddress(host, wanted));
    } catch (IOException | IllegalArgumentException | IllegalStateException e) {
      throw SocketErrors.translate(e);
    }
    address = host;
    if (a.getLocalAddress() instanceof InetSocketAddress local) {
      localport = local.getPort();
    }
  }

  @Override
  protected void connect(String host, int to) throws IOException {
    connect(new InetSocketAddress(host, to), 0);
  }

  @Override
  protected void connect(InetAddress host, int to) throws IOException {
    connect(new InetSocketAddress(host, to), 0);
  }

  @Override
  protected void connect(SocketAddress remote, int millis) throws IOException {
    if (!(remote instanceof InetSocketAddress to)) {
      throw new IOException("Unsupported address type");
    }
    long deadline = millis == 0 ? 0 : deadline(millis);
    try {
      Stream s = state.open();
      if (state.isConnected()) {
        throw new SocketException("Already connected");
      }
      ProxyBypass asked = bypass;
      bypass = null;
      if (asked != null && connectByProxy(to, deadline, asked)) {
        s.close(true);
        return;
      }
      connectDirectly(s, to, deadline);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private boolean connectByProxy(InetSocketAddress to, long deadline, ProxyBypass asked)
      throws IOException {
    Socket byProxy = SocksRoute.connect(to, deadline, asked, this::copyTo);
    if (byProxy == null) {
      return false;
    }
    state.proxiedBy(byProxy);
    address = byProxy.getInetAddress();
    port = byProxy.getPort();
    localport = byProxy.getLocalPort();
    return true;
  }

  private void connectDirectly(Stream s, InetSocketAddress to, long deadline) throws IOException {
    if (to.isUnresolved()) {
      throw new UnknownHostException(to.getHostName());
    }
    InetAddress host = to.getAddress();
    address = host.isAnyLocalAddress() ? InetAddress.getLocalHost() : host;
    port = to.getPort();
    SocketConnection a = state.kernelSide();
    try {
      a.connect(new InetSocketAddress(address, port), deadline);
      addresses(a);
    } catch (IOException | IllegalArgumentException | IllegalStateException e) {
      throw e instanceof java.io.InterruptedIOException
              && !(e instanceof java.net.SocketTimeoutException)
          ? new SocketException("Closed by interrupt")
          : SocketErrors.translate(e);
    }
    state.connected();
    settings.connected();
    core.connected(s);
  }

  /** What the program chose before it became clear that a proxy is in the way. */
  private void copyTo(Socket socket) throws IOException {
    settings.copyTo(socket);
    SocketConnection a = state.kernelSide();
    if (localport != 0) {
      SocketAddress local = a.getLocalAddress();
      a.close();
      socket.bind(local);
    }
  }

  @Override
  protected void listen(int backlog) throws IOException {
    throw new SocketException("Not a server socket");
  }

  @Override
  protected void accept(SocketImpl socket) throws IOException {
    throw new SocketException("Not a server socket");
  }

  // -- data ------------------------------------------------------------------------------------

  @Override
  protected InputStream getInputStream() throws IOException {
    Socket p = state.proxied();
    return p != null ? p.getInputStream() : new SocketInput(this);
  }

  @Override
  protected OutputStream getOutputStream() throws IOException {
    Socket p = state.proxied();
    return p != null ? p.getOutputStream() : new SocketOutput(this);
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    if (endRead) {
      return -1;
    }
    Stream s = state.openAndConnected();
    int millis = settings.timeoutMillis();
    long deadline = millis == 0 ? 0 : deadline(millis);
    if (dst.remaining() > MAX_READ) {
      dst.limit(dst.position() + MAX_READ);
    }
    try {
      int n = s.read(dst, true, deadline);
      if (n < 0) {
        endRead = true;
      }
      return n;
    } catch (IOException e) {
      throw SocketErrors.translate(e);
    }
  }

  private static long deadline(int millis) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    return deadline == 0 ? 1 : deadline;
  }

  @Override
  public void write(ByteBuffer src) throws IOException {
    Stream s = state.openAndConnected();
    try {
      while (src.hasRemaining()) {
        s.write(src, true);
      }
    } catch (ClosedChannelException e) {
      throw new SocketException(
          state.isClosed() ? SocketErrors.CLOSED : "Broken pipe"); // shut down
    } catch (IOException e) {
      throw state.isClosed() ? new SocketException(SocketErrors.CLOSED) : SocketErrors.translate(e);
    }
  }

  @Override
  public int available() throws IOException {
    Socket p = state.proxied();
    if (p != null) {
      return p.getInputStream().available();
    }
    try {
      return state.openAndConnected().available();
    } catch (IOException e) {
      throw SocketErrors.translate(e);
    }
  }

  @Override
  protected boolean supportsUrgentData() {
    return true;
  }

  @Override
  protected void sendUrgentData(int data) throws IOException {
    Socket p = state.proxied();
    if (p != null) {
      p.sendUrgentData(data);
      return;
    }
    Stream s = state.openAndConnected();
    try {
      s.urgentData().send(data); // whose failures are not translated by the JDK's own either
    } catch (ClosedChannelException e) {
      throw state.isClosed()
          ? SocketErrors.translate(e)
          : new IOException("Broken pipe", e); // shut down
    }
  }

  // -- ending ----------------------------------------------------------------------------------

  @Override
  protected void shutdownInput() throws IOException {
    Socket p = state.proxied();
    if (p != null) {
      p.shutdownInput();
    } else {
      state.openAndConnected().shutdownInput();
    }
  }

  @Override
  protected void shutdownOutput() throws IOException {
    Socket p = state.proxied();
    if (p != null) {
      p.shutdownOutput();
    } else {
      state.openAndConnected().shutdownOutput();
    }
  }

  @Override
  public void close() throws IOException {
    state.closed();
    Socket p = state.proxied();
    if (p != null) {
      p.close();
    }
    Stream s = state.stream();
    if (s != null) {
      try {
        endBeforeReset(s);
      } finally { // whatever there was no memory for: no close follows this one
        s.close(true);
      }
    }
    Cleanable l = lost;
    if (l != null) {
      l.clean();
    }
  }

  /**
   * As the JDK's own: the peer of a socket that is closed with unread bytes reads the end first.
   */
  private void endBeforeReset(Stream s) {
    try {
      if (state.isConnected() && !settings.isClosedByReset()) {
        s.endBeforeReset();
      }
    } catch (IOException e) {
      return; // it is over already: closing is all that is left
    }
  }

  // -- options ---------------------------------------------------------------------------------

  @Override
  protected Set<SocketOption<?>> supportedOptions() {
    return settings.supported();
  }

  @Override
  protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
    settings.set(name, value);
  }

  @Override
  protected <T> T getOption(SocketOption<T> name) throws IOException {
    return settings.get(name);
  }

  @Override
  public void setOption(int option, @Nullable Object value) throws SocketException {
    settings.set(option, value);
  }

  @Override
  public Object getOption(int option) throws SocketException {
    return settings.get(option);
  }
}
