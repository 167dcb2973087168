package org.slipstream.provider.net;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.lang.ref.Cleaner.Cleanable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.session.Announcement;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.provider.nio.KernelWait;

/**
 * A listening {@code java.net} socket over a kernel channel. Accepting waits in a selector of its
 * own, which neither an interrupt nor a close leaves hanging.
 */
final class SlipstreamServerSocketImpl extends SocketImpl {
  private static final int DEFAULT_BACKLOG = 50;

  private final SlipstreamCore core;
  private final ReentrantLock acceptLock = new ReentrantLock();
  private volatile @Nullable Listener listener;

  /** Closes the listener if the program loses it. Written once, by the thread that creates it. */
  private volatile @Nullable Cleanable lost;

  private volatile int timeout;
  private volatile boolean closed;

  /** What must be closed; knows nothing of the socket, so that the cleaner may hold it. */
  private record Listener(ServerSocketChannel channel, Selector selector, Announcements announced)
      implements Closeable {
    @Override
    public void close() throws IOException {
      try {
        selector.close();
        channel.close();
      } finally {
        announced.close();
      }
    }
  }

  /** What other processes know of the listener, once it is bound. */
  private static final class Announcements {
    private volatile @Nullable Announcement announcement;

    void close() {
      Announcement a = announcement;
      if (a != null) {
        a.close();
      }
    }
  }

  SlipstreamServerSocketImpl(SlipstreamCore core) {
    this.core = core;
  }

  private Listener open() throws SocketException {
    Listener l = listener;
    if (l == null) {
      throw new SocketException("Socket not created");
    }
    if (closed) {
      throw new SocketException(SocketErrors.CLOSED);
    }
    return l;
  }

  @Override
  protected void create(boolean stream) throws IOException {
    if (!stream) {
      throw new IOException("Datagram socket creation not supported");
    }
    ServerSocketChannel channel = core.jdk().openServerSocketChannel();
    Selector selector;
    try {
      channel.configureBlocking(false);
      selector = core.jdk().openSelector();
      channel.register(selector, SelectionKey.OP_ACCEPT);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    Listener made = new Listener(channel, selector, new Announcements());
    listener = made;
    lost = LostSocket.await(this, made);
  }

  /** The kernel binds and listens in one step: see {@link #listen}. */
  @Override
  protected void bind(InetAddress host, int port) throws IOException {
    open();
    address = host;
    localport = port;
  }

  @Override
  protected void listen(int backlog) throws IOException {
    Listener l = open();
    try {
      l.channel.bind(
          new InetSocketAddress(address, localport), backlog < 1 ? DEFAULT_BACKLOG : backlog);
    } catch (IOException | RuntimeException e) {
      localport = 0;
      throw SocketErrors.translate(e);
    }
    if (l.channel.getLocalAddress() instanceof InetSocketAddress local) {
      localport = local.getPort();
      l.announced.announcement = core.announce(l.channel, local);
    }
  }

  // -- accepting -------------------------------------------------------------------------------

  @Override
  protected void accept(SocketImpl socket) throws IOException {
    if (!(socket instanceof SlipstreamSocketImpl ours)) {
      throw new IOException(
          "Slipstream's server socket cannot accept a connection with an instance of "
              + socket.getClass().getName());
    }
    Listener l = open();
    Announcement announcement = l.announced.announcement;
    if (announcement == null) {
      throw new SocketException("Not bound");
    }
    SocketChannel accepted = accept(l);
    try {
      ours.accepted(accepted, announcement);
    } catch (IOException
        | RuntimeException
        | Error e) { // without memory, too, its client must hear
      accepted.close();
      throw e;
    }
  }

  private SocketChannel accept(Listener l) throws IOException {
    long nanos = TimeUnit.MILLISECONDS.toNanos(timeout);
    long deadline = System.nanoTime() + nanos;
    boolean interrupted = false;
    acceptLock.lock();
    try {
      for (; ; ) {
        SocketChannel accepted = l.channel.accept();
        if (accepted != null) {
          return accepted;
        }
        long left = nanos == 0 ? 0 : deadline - System.nanoTime();
        if (nanos != 0 && left <= 0) {
          throw new SocketTimeoutException("Accept timed out");
        }
        interrupted |= select(l.selector, (left + 999_999) / 1_000_000);
        if (closed) {
          throw new SocketException(SocketErrors.CLOSED);
        }
      }
    } catch (IOException e) {
      throw closed ? new SocketException(SocketErrors.CLOSED) : e;
    } finally {
      acceptLock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns whether a platform thread was interrupted, which means nothing to the socket. */
  private static boolean select(Selector selector, long millis) throws IOException {
    Thread thread = Thread.currentThread();
    boolean cleared = !thread.isVirtual() && Thread.interrupted();
    try {
      selector.select(key -> {}, millis);
    } catch (ClosedSelectorException e) {
      return cleared; // the caller sees that the socket is closed
    }
    if (thread.isVirtual() && thread.isInterrupted()) {
      throw new InterruptedIOException("Closed by interrupt");
    }
    return cleared;
  }

  @Override
  protected void close() throws IOException {
    closed = true;
    Listener l = listener;
    if (l != null) {
      l.close();
    }
    Cleanable c = lost;
    if (c != null) {
      c.clean(); // or the cleaner keeps what is closed until the next collection
    }
  }

  // -- options ---------------------------------------------------------------------------------

  @Override
  protected Set<SocketOption<?>> supportedOptions() {
    Listener l = listener;
    if (l == null) {
      return Set.of();
    }
    Set<SocketOption<?>> options = new HashSet<>(l.channel.supportedOptions());
    options.add(StandardSocketOptions.IP_TOS); // the JDK's own accepts it, too
    return Set.copyOf(options);
  }

  @Override
  protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
    Listener l = open();
    check(name);
    if (!name.type().isInstance(value)) {
      throw new IllegalArgumentException("Invalid value '" + value + "'");
    }
    if (StandardSocketOptions.IP_TOS.equals(name)) {
      KernelWait.trafficClass(l.channel, (Integer) value);
    } else {
      l.channel.setOption(name, value);
    }
  }

  @Override
  protected <T> T getOption(SocketOption<T> name) throws IOException {
    Listener l = open();
    check(name);
    return StandardSocketOptions.IP_TOS.equals(name)
        ? name.type().cast(KernelWait.trafficClass(l.channel))
        : l.channel.getOption(name);
  }

  private void check(SocketOption<?> name) {
    if (!supportedOptions().contains(name)) {
      throw new UnsupportedOperationException("'" + name + "' not supported");
    }
  }

  @Override
  public void setOption(int option, @Nullable Object value) throws SocketException {
    open();
    try {
      if (option == SocketOptions.SO_TIMEOUT) {
        timeout = IntOptions.number(value, "SO_TIMEOUT");
      } else {
        IntOptions.set(this::setOption, option, value);
      }
    } catch (IOException | IllegalArgumentException | UnsupportedOperationException e) {
      throw SocketErrors.socketException(e);
    }
  }

  @Override
  public Object getOption(int option) throws SocketException {
    Listener l = open();
    try {
      return switch (option) {
        case SocketOptions.SO_TIMEOUT -> timeout;
        case SocketOptions.SO_BINDADDR -> IntOptions.localAddress(l.channel);
        default -> IntOptions.get(this::getOption, option);
      };
    } catch (IOException | IllegalArgumentException | UnsupportedOperationException e) {
      throw SocketErrors.socketException(e);
    }
  }

  // -- a listener has no bytes -----------------------------------------------------------------

  private static IOException notConnected() {
    return new SocketException("Not connected");
  }

  @Override
  protected void connect(String host, int port) throws IOException {
    throw notConnected();
  }

  @Override
  protected void connect(InetAddress host, int port) throws IOException {
    throw notConnected();
  }

  @Override
  protected void connect(SocketAddress to, int millis) throws IOException {
    throw notConnected();
  }

  @Override
  protected InputStream getInputStream() throws IOException {
    throw notConnected();
  }

  @Override
  protected OutputStream getOutputStream() throws IOException {
    throw notConnected();
  }

  @Override
  protected int available() throws IOException {
    throw notConnected();
  }

  @Override
  protected void sendUrgentData(int data) throws IOException {
    throw notConnected();
  }
}
