package org.slipstream.provider.nio;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The socket view of a channel. Bytes go through our channel; everything else is answered by the
 * JDK's own adaptor of the TCP connection, so that it is the same to the letter.
 */
final class SocketAdaptor extends Socket {
  private final SlipstreamSocketChannel channel;
  private final Socket jdk;

  private SocketAdaptor(SlipstreamSocketChannel channel) throws SocketException {
    super((SocketImpl) null);
    this.channel = channel;
    this.jdk = channel.tcp().socket();
  }

  static Socket create(SlipstreamSocketChannel channel) {
    try {
      return new SocketAdaptor(channel);
    } catch (SocketException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The TCP connection may outlive the close for a moment; the program must not notice. */
  private Socket open() throws SocketException {
    if (!channel.isOpen()) {
      throw new SocketException("Socket is closed");
    }
    return jdk;
  }

  // -- data ------------------------------------------------------------------------------------

  @Override
  public SocketChannel getChannel() {
    return channel;
  }

  @Override
  public InputStream getInputStream() throws IOException {
    open().getInputStream(); // closed, not connected, shut down: the JDK's own words
    return new ChannelInput(channel);
  }

  @Override
  public OutputStream getOutputStream() throws IOException {
    open().getOutputStream();
    return new ChannelOutput(channel);
  }

  @Override
  public void sendUrgentData(int data) throws IOException {
    channel.sendUrgentData(data);
  }

  @Override
  public void setOOBInline(boolean on) throws SocketException {
    open().setOOBInline(on);
    try {
      channel.oobInlineChanged(on);
    } catch (IOException e) {
      throw new SocketException(e.getMessage(), e);
    }
  }

  // -- connecting and closing ------------------------------------------------------------------

  @Override
  public void connect(SocketAddress remote) throws IOException {
    connect(remote, 0);
  }

  @Override
  public void connect(SocketAddress remote, int timeout) throws IOException {
    try {
      channel.tcpOrClosed().socket().connect(remote, timeout);
    } catch (IOException e) {
      throw channel.connectFailed(e);
    }
    channel.connectedByAdaptor();
  }

  @Override
  public void bind(@Nullable SocketAddress local) throws IOException {
    channel.tcpOrClosed().socket().bind(local);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  @Override
  public void shutdownInput() throws IOException {
    if (channel.isOpen() && !jdk.isConnected()) {
      jdk.shutdownInput(); // throws the right thing
    }
    channel.shutdownInput(); // also if it is closed
  }

  @Override
  public void shutdownOutput() throws IOException {
    if (channel.isOpen() && !jdk.isConnected()) {
      jdk.shutdownOutput();
    }
    channel.shutdownOutput();
  }

  // -- answered by the JDK's adaptor -----------------------------------------------------------

  @Override
  public @Nullable InetAddress getInetAddress() {
    return jdk.getInetAddress();
  }

  @Override
  public InetAddress getLocalAddress() {
    return channel.isOpen() ? jdk.getLocalAddress() : new InetSocketAddress(0).getAddress();
  }

  @Override
  public int getPort() {
    return jdk.getPort();
  }

  @Override
  public int getLocalPort() {
    return jdk.getLocalPort();
  }

  @Override
  public @Nullable SocketAddress getRemoteSocketAddress() {
    return jdk.getRemoteSocketAddress();
  }

  @Override
  public @Nullable SocketAddress getLocalSocketAddress() {
    return jdk.getLocalSocketAddress();
  }

  @Override
  public boolean isConnected() {
    return channel.isConnected();
  }

  @Override
  public boolean isBound() {
    return jdk.isBound();
  }

  @Override
  public boolean isInputShutdown() {
    return channel.isInputShut();
  }

  @Override
  public boolean isOutputShutdown() {
    return channel.isOutputShut();
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return jdk.supportedOptions();
  }

  @Override
  public String toString() {
    return isConnected() ? jdk.toString() : "Socket[unconnected]";
  }

  @Override
  public <T> Socket setOption(SocketOption<T> name, T value) throws IOException {
    channel.setOption(name, value);
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) throws IOException {
    return channel.getOption(name);
  }

  @Override
  public void setTcpNoDelay(boolean value) throws SocketException {
    open();
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, value);
    } catch (IOException e) {
      throw (SocketException) new SocketException(e.getMessage()).initCause(e);
    }
  }

  @Override
  public boolean getTcpNoDelay() throws SocketException {
    open();
    try {
      return channel.getOption(StandardSocketOptions.TCP_NODELAY);
    } catch (IOException e) {
      throw (SocketException) new SocketException(e.getMessage()).initCause(e);
    }
  }

  @Override
  public boolean getOOBInline() throws SocketException {
    return open().getOOBInline();
  }

  @Override
  public void setKeepAlive(boolean value) throws SocketException {
    open().setKeepAlive(value);
  }

  @Override
  public boolean getKeepAlive() throws SocketException {
    return open().getKeepAlive();
  }

  @Override
  public void setReuseAddress(boolean value) throws SocketException {
    open().setReuseAddress(value);
  }

  @Override
  public boolean getReuseAddress() throws SocketException {
    return open().getReuseAddress();
  }

  @Override
  public void setSoTimeout(int value) throws SocketException {
    open().setSoTimeout(value);
    channel.timeoutMillis(value);
  }

  @Override
  public int getSoTimeout() throws SocketException {
    int ignored = open().getSoTimeout(); // throws if the socket is closed
    return channel.timeoutMillis();
  }

  @Override
  public void setSendBufferSize(int value) throws SocketException {
    (value <= 0 ? jdk : open()).setSendBufferSize(value); // the value comes first
  }

  @Override
  public int getSendBufferSize() throws SocketException {
    return open().getSendBufferSize();
  }

  @Override
  public void setReceiveBufferSize(int value) throws SocketException {
    (value <= 0 ? jdk : open()).setReceiveBufferSize(value);
  }

  @Override
  public int getReceiveBufferSize() throws SocketException {
    return open().getReceiveBufferSize();
  }

  @Override
  public void setTrafficClass(int value) throws SocketException {
    open().setTrafficClass(value);
  }

  @Override
  public int getTrafficClass() throws SocketException {
    return open().getTrafficClass();
  }

  @Override
  public void setSoLinger(boolean on, int linger) throws SocketException {
    open().setSoLinger(on, linger);
  }

  @Override
  public int getSoLinger() throws SocketException {
    return open().getSoLinger();
  }
}
