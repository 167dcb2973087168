package org.slipstream.provider.nio;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The server-socket view of a listening channel; see {@link SocketAdaptor}. */
final class ServerSocketAdaptor extends ServerSocket {
  private static final int BACKLOG = 50;

  private final SlipstreamServerSocketChannel channel;
  private final ServerSocket jdk;

  private ServerSocketAdaptor(SlipstreamServerSocketChannel channel) {
    super(new NoImpl());
    this.channel = channel;
    this.jdk = channel.tcp().socket();
  }

  static ServerSocket create(SlipstreamServerSocketChannel channel) {
    return new ServerSocketAdaptor(channel);
  }

  @Override
  public ServerSocketChannel getChannel() {
    return channel;
  }

  @Override
  public void bind(@Nullable SocketAddress local) throws IOException {
    bind(local, BACKLOG);
  }

  @Override
  public void bind(@Nullable SocketAddress local, int backlog) throws IOException {
    try {
      channel.bind(local == null ? new InetSocketAddress(0) : local, backlog);
    } catch (AlreadyBoundException e) {
      throw socketException("Already bound", e);
    } catch (UnsupportedAddressTypeException e) {
      throw socketException("Unsupported address type", e);
    } catch (UnresolvedAddressException e) {
      throw socketException("Unresolved address", e);
    }
  }

  private static SocketException socketException(String message, Exception cause) {
    SocketException e = new SocketException(message);
    e.initCause(cause);
    return e;
  }

  @Override
  public Socket accept() throws IOException {
    SocketChannel accepted;
    try {
      accepted = channel.wrap(jdk.accept().getChannel());
    } catch (IOException e) {
      if (!channel.tcp().isOpen()) {
        channel.close(); // an interrupt closed the TCP connection
      }
      throw e;
    }
    if (accepted == null) {
      throw new IllegalBlockingModeException();
    }
    return accepted.socket();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  // -- answered by the JDK's adaptor -----------------------------------------------------------

  @Override
  public @Nullable InetAddress getInetAddress() {
    return jdk.getInetAddress();
  }

  @Override
  public int getLocalPort() {
    return jdk.getLocalPort();
  }

  @Override
  public @Nullable SocketAddress getLocalSocketAddress() {
    return jdk.getLocalSocketAddress();
  }

  @Override
  public boolean isBound() {
    return jdk.isBound();
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return jdk.supportedOptions();
  }

  @Override
  public String toString() {
    return jdk.toString();
  }

  @Override
  public <T> ServerSocket setOption(SocketOption<T> name, T value) throws IOException {
    jdk.setOption(name, value);
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
    return jdk.getOption(name);
  }

  @Override
  public void setReuseAddress(boolean value) throws SocketException {
    jdk.setReuseAddress(value);
  }

  @Override
  public boolean getReuseAddress() throws SocketException {
    return jdk.getReuseAddress();
  }

  @Override
  public void setSoTimeout(int value) throws SocketException {
    jdk.setSoTimeout(value);
  }

  @Override
  public int getSoTimeout() throws IOException {
    return jdk.getSoTimeout();
  }

  @Override
  public void setReceiveBufferSize(int value) throws SocketException {
    jdk.setReceiveBufferSize(value);
  }

  @Override
  public int getReceiveBufferSize() throws SocketException {
    return jdk.getReceiveBufferSize();
  }

  /** A ServerSocket must have one; nothing of it is ever used, for every method is overridden. */
  private static final class NoImpl extends SocketImpl {
    private static IOException unused() {
      return new SocketException("Not used");
    }

    @Override
    protected void create(boolean stream) throws IOException {
      throw unused();
    }

    @Override
    protected void connect(String host, int port) throws IOException {
      throw unused();
    }

    @Override
    protected void connect(InetAddress address, int port) throws IOException {
      throw unused();
    }

    @Override
    protected void connect(SocketAddress address, int timeout) throws IOException {
      throw unused();
    }

    @Override
    protected void bind(InetAddress host, int port) throws IOException {
      throw unused();
    }

    @Override
    protected void listen(int backlog) throws IOException {
      throw unused();
    }

    @Override
    protected void accept(SocketImpl s) throws IOException {
      throw unused();
    }

    @Override
    protected InputStream getInputStream() throws IOException {
      throw unused();
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
      throw unused();
    }

    @Override
    protected int available() throws IOException {
      throw unused();
    }

    @Override
    protected void close() {
      // Nothing was opened.
    }

    @Override
    protected void sendUrgentData(int data) throws IOException {
      throw unused();
    }

    @Override
    protected @Nullable FileDescriptor getFileDescriptor() {
      return null;
    }

    @Override
    public void setOption(int option, Object value) throws SocketException {
      throw new SocketException("Not used");
    }

    @Override
    public Object getOption(int option) throws SocketException {
      throw new SocketException("Not used");
    }
  }
}
