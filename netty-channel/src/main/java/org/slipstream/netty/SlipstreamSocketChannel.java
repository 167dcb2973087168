package org.slipstream.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.nio.NioIoOps;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.core.session.Announcement;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.core.stream.InterruptScope;
import org.slipstream.core.stream.Stream;
import org.slipstream.provider.nio.Installation;

/**
 * A TCP channel whose bytes may travel on a link. For event loops of {@link SlipstreamIoHandler}.
 *
 * <p>Addresses, options, connecting and closing are the kernel connection's.
 */
@SuppressWarnings(
    "FutureReturnValueIgnored") // Netty's methods return the promise that they are given
public final class SlipstreamSocketChannel extends StreamChannel implements SocketChannel {
  private final SlipstreamCore core;
  private final java.nio.channels.SocketChannel tcp;
  private final Socket socket;
  private final SlipstreamSocketChannelConfig config;

  /** Makes a channel that will connect. */
  public SlipstreamSocketChannel() {
    this(Slipstream.installation());
  }

  /**
   * Makes a channel that will connect.
   *
   * @param installation whose core joins it to its peer
   */
  public SlipstreamSocketChannel(Installation installation) {
    this(Slipstream.core(installation), open(installation));
  }

  private SlipstreamSocketChannel(SlipstreamCore core, java.nio.channels.SocketChannel tcp) {
    this(null, core, tcp, core.connecting(tcp, NoWaits.INSTANCE));
  }

  private SlipstreamSocketChannel(
      @Nullable Channel parent,
      SlipstreamCore core,
      java.nio.channels.SocketChannel tcp,
      Stream stream) {
    super(parent, tcp, stream);
    this.core = core;
    this.tcp = tcp;
    this.socket = tcp.socket();
    this.config = new SlipstreamSocketChannelConfig(this, socket);
  }

  /** An event loop never waits in a stream. */
  private enum NoWaits implements InterruptScope {
    INSTANCE;

    @Override
    public void begin() {}

    @Override
    public void end(boolean completed) {}

    @Override
    public boolean mustNotBlock() {
      return false;
    }
  }

  private static java.nio.channels.SocketChannel open(Installation installation) {
    try {
      return installation.jdk().openSocketChannel();
    } catch (IOException e) {
      throw failed("Failed to open a socket", e);
    }
  }

  /** An accepted channel; fails if the connection is already gone. */
  static SlipstreamSocketChannel accepted(
      ServerSocketChannel parent,
      SlipstreamCore core,
      java.nio.channels.SocketChannel tcp,
      Announcement listener)
      throws IOException {
    Stream stream = core.accepted(tcp, NoWaits.INSTANCE, listener);
    return new SlipstreamSocketChannel(parent, core, tcp, stream);
  }

  /**
   * What carries the bytes, and how many there were. Any thread.
   *
   * @return a snapshot
   */
  public StreamStatus status() {
    return stream().status();
  }

  @Override
  public @Nullable ServerSocketChannel parent() {
    return (ServerSocketChannel) super.parent();
  }

  @Override
  public SocketChannelConfig config() {
    return config;
  }

  @Override
  public boolean isActive() {
    return isOpen() && tcp.isConnected();
  }

  @Override
  public @Nullable InetSocketAddress localAddress() {
    return (InetSocketAddress) super.localAddress();
  }

  @Override
  public @Nullable InetSocketAddress remoteAddress() {
    return (InetSocketAddress) super.remoteAddress();
  }

  @Override
  protected @Nullable SocketAddress localAddress0() {
    return socket.getLocalSocketAddress();
  }

  @Override
  protected @Nullable SocketAddress remoteAddress0() {
    return socket.getRemoteSocketAddress();
  }

  // -- connecting ------------------------------------------------------------------------------

  @Override
  protected void doBind(SocketAddress localAddress) throws Exception {
    tcp.bind(localAddress);
  }

  @Override
  protected boolean doConnect(SocketAddress remoteAddress, @Nullable SocketAddress localAddress)
      throws Exception {
    boolean done = false;
    try {
      if (localAddress != null) {
        doBind(localAddress);
      }
      boolean connected = tcp.connect(remoteAddress);
      if (connected) {
        core.connected(stream());
        refreshInterest();
      } else {
        addAndSubmit(NioIoOps.CONNECT);
      }
      done = true;
      return connected;
    } finally {
      if (!done) {
        doClose();
      }
    }
  }

  @Override
  protected void doFinishConnect() throws Exception {
    if (!tcp.finishConnect()) {
      throw new IllegalStateException("The selector reported a connection that is not there");
    }
    core.connected(stream());
    refreshInterest();
  }

  // -- closing ---------------------------------------------------------------------------------

  @Override
  protected void doDisconnect() throws Exception {
    doClose();
  }

  /** A close that lingers would stop the event loop. */
  @Override
  @Nullable Executor closeExecutor() {
    try {
      if (isOpen() && config.getSoLinger() > 0) {
        doDeregister();
        return GlobalEventExecutor.INSTANCE;
      }
    } catch (Exception e) {
      return null; // closed meanwhile
    }
    return null;
  }

  @Override
  public boolean isInputShutdown() {
    return socket.isInputShutdown() || !isActive();
  }

  @Override
  public boolean isOutputShutdown() {
    return socket.isOutputShutdown() || !isActive();
  }

  @Override
  public boolean isShutdown() {
    return (socket.isInputShutdown() && socket.isOutputShutdown()) || !isActive();
  }

  @Override
  protected void doShutdownOutput() throws Exception {
    stream().shutdownOutput();
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    return inEventLoop(promise, () -> ((AbstractUnsafe) unsafe()).shutdownOutput(promise));
  }

  @Override
  public ChannelFuture shutdownInput() {
    return shutdownInput(newPromise());
  }

  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    return inEventLoop(
        promise,
        () -> {
          try {
            stream().shutdownInput();
            promise.setSuccess();
          } catch (IOException | RuntimeException e) {
            promise.setFailure(e);
          }
        });
  }

  private ChannelPromise inEventLoop(ChannelPromise promise, Runnable action) {
    EventLoop loop = eventLoop();
    if (loop.inEventLoop()) {
      action.run();
    } else {
      loop.execute(action);
    }
    return promise;
  }

  @Override
  public ChannelFuture shutdown() {
    return shutdown(newPromise());
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    shutdownOutput()
        .addListener(
            output -> shutdownInput().addListener(input -> bothDone(output, input, promise)));
    return promise;
  }

  private static void bothDone(
      io.netty.util.concurrent.Future<?> output,
      io.netty.util.concurrent.Future<?> input,
      ChannelPromise promise) {
    Throwable cause = output.cause() != null ? output.cause() : input.cause();
    if (cause == null) {
      promise.setSuccess();
    } else {
      promise.setFailure(cause);
    }
  }
}
