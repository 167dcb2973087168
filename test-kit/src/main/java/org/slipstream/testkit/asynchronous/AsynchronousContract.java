package org.slipstream.testkit.asynchronous;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.RowContract;
import org.slipstream.testkit.shape.Shape;
import org.slipstream.testkit.socket.SocketEnd;

/**
 * What the contracts have in common: a group of two threads, connections, and futures with ends.
 */
@Timeout(value = 240, unit = SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class AsynchronousContract extends RowContract implements Shape {

  /** Long enough for what must not happen to happen. */
  protected static final Duration A_WHILE = Duration.ofMillis(100);

  /** The two ends of one connection. */
  protected record Ends(AsynchronousSocketChannel client, AsynchronousSocketChannel server) {}

  private final Deque<AutoCloseable> resources = new ArrayDeque<>();
  private final List<Ends> settled = new ArrayList<>();
  private @Nullable AsynchronousChannelGroup group;

  /** Nothing is opened yet. */
  protected AsynchronousContract() {}

  @BeforeEach
  final void openGroup() throws IOException {
    group = fixedGroup(2);
  }

  @AfterEach
  @Timeout(value = 120, unit = SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  final void closeAll() throws Exception {
    for (Ends ends : settled) {
      if (ends.client.isOpen() && ends.server.isOpen()) {
        carrier().assertCarried(ends.client, ends.server);
      }
    }
    for (AutoCloseable resource : resources) {
      resource.close();
    }
  }

  /** The group of this test. */
  protected final AsynchronousChannelGroup group() {
    if (group == null) {
      throw new IllegalStateException("There is a group only during a test");
    }
    return group;
  }

  /** A group that is shut down after the test. */
  protected final AsynchronousChannelGroup fixedGroup(int threads) throws IOException {
    AsynchronousChannelGroup made =
        carrier()
            .asynchronous()
            .openAsynchronousChannelGroup(threads, Executors.defaultThreadFactory());
    resources.addLast(made::shutdownNow);
    return made;
  }

  /** Closes the resource after the test. */
  protected final <T extends AutoCloseable> T closing(T resource) {
    resources.addFirst(resource);
    return resource;
  }

  /** A new, unconnected channel. */
  protected final AsynchronousSocketChannel open(@Nullable AsynchronousChannelGroup of)
      throws IOException {
    return closing(carrier().asynchronous().openAsynchronousSocketChannel(of));
  }

  /** A new, unbound channel. */
  protected final AsynchronousServerSocketChannel openServer(@Nullable AsynchronousChannelGroup of)
      throws IOException {
    return closing(carrier().asynchronous().openAsynchronousServerSocketChannel(of));
  }

  /** A channel that listens on this host. */
  protected final AsynchronousServerSocketChannel listen() throws IOException {
    return openServer(group()).bind(Network.anyPort());
  }

  protected static InetSocketAddress addressOf(AsynchronousServerSocketChannel listener)
      throws IOException {
    return (InetSocketAddress) listener.getLocalAddress();
  }

  /** An address of this host at which no process listens. */
  protected final InetSocketAddress deadAddress() throws IOException {
    try (AsynchronousServerSocketChannel gone =
        carrier().asynchronous().openAsynchronousServerSocketChannel(group())) {
      return addressOf(gone.bind(Network.anyPort()));
    }
  }

  /** A connection on which no byte was sent. */
  protected final Ends freshPair() throws Exception {
    return freshPair(group());
  }

  protected final Ends freshPair(@Nullable AsynchronousChannelGroup of) throws Exception {
    return freshPair(of, of);
  }

  private Ends freshPair(
      @Nullable AsynchronousChannelGroup of, @Nullable AsynchronousChannelGroup peers)
      throws Exception {
    try (AsynchronousServerSocketChannel listener =
        carrier().asynchronous().openAsynchronousServerSocketChannel(peers)) {
      listener.bind(Network.anyPort());
      AsynchronousSocketChannel client = open(of);
      Future<AsynchronousSocketChannel> accepted = listener.accept();
      value(client.connect(addressOf(listener)));
      return new Ends(client, closing(value(accepted)));
    }
  }

  /** A connection that the carrier carries by now; asserted once more after the test. */
  protected final Ends settledPair() throws Exception {
    return settledPair(group());
  }

  protected final Ends settledPair(@Nullable AsynchronousChannelGroup of) throws Exception {
    return settledPair(of, of);
  }

  /** A connection whose two ends belong to two groups. */
  protected final Ends settledPair(
      @Nullable AsynchronousChannelGroup of, @Nullable AsynchronousChannelGroup peers)
      throws Exception {
    Ends ends = freshPair(of, peers);
    carrier().settle(ends.client, ends.server);
    carrier().assertCarried(ends.client, ends.server);
    settled.add(ends);
    return ends;
  }

  /** An asynchronous channel can not be told to reset, so the server is a socket of the row. */
  @Override
  public final Connection freshConnection() throws Exception {
    try (ServerSocket listener = carrier().sockets().openServer()) {
      listener.bind(Network.anyPort());
      AsynchronousSocketChannel client = open(group());
      value(client.connect(new InetSocketAddress(Network.address(), listener.getLocalPort())));
      return new Connection(new AsynchronousEnd(client), new SocketEnd(closing(listener.accept())));
    }
  }

  @Override
  public final boolean everyEndResets() {
    return false;
  }

  @Override
  public final Connection settledConnection() throws Exception {
    Ends ends = settledPair();
    return new Connection(new AsynchronousEnd(ends.client), new AsynchronousEnd(ends.server));
  }

  /** The result, which has to come before the deadline. */
  protected static <T> T value(Future<T> future) throws Exception {
    try {
      return future.get(Background.DEADLINE.toMillis(), MILLISECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError("The operation failed: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("The operation has not ended", e);
    }
  }

  /** The failure, which has to come before the deadline. */
  protected static Throwable failure(Future<?> future) throws Exception {
    try {
      Object value = future.get(Background.DEADLINE.toMillis(), MILLISECONDS);
      throw new AssertionError("The operation should fail, but its result is " + value);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      return cause == null ? e : cause;
    } catch (TimeoutException e) {
      throw new AssertionError("The operation has not ended", e);
    }
  }

  /** Writes everything. */
  protected static void writeAll(AsynchronousSocketChannel channel, ByteBuffer source)
      throws Exception {
    while (source.hasRemaining()) {
      assertThat(value(channel.write(source))).isPositive();
    }
  }

  /** Fills the buffer. */
  protected static void readAll(AsynchronousSocketChannel channel, ByteBuffer target)
      throws Exception {
    while (target.hasRemaining()) {
      if (value(channel.read(target)) < 0) {
        throw new EOFException("The stream ended, " + target.remaining() + " bytes too early");
      }
    }
  }

  /** Writes until an operation stays pending; returns that one, whose buffer is of zeros. */
  protected static Future<Integer> fillUp(AsynchronousSocketChannel channel) throws Exception {
    for (; ; ) {
      Future<Integer> write = channel.write(ByteBuffer.allocate(64 * 1024));
      try {
        write.get(500, MILLISECONDS);
      } catch (TimeoutException full) {
        return write;
      }
    }
  }
}
