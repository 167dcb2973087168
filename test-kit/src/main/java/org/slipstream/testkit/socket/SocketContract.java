package org.slipstream.testkit.socket;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.RowContract;
import org.slipstream.testkit.Tape;
import org.slipstream.testkit.shape.Shape;

/** What the contracts have in common: connections of a carrier, and moving bytes completely. */
@Timeout(value = 240, unit = SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class SocketContract extends RowContract implements Shape {

  /** Long enough for what must not happen to happen. */
  protected static final Duration A_WHILE = Duration.ofMillis(100);

  /** The two ends of one connection. */
  protected record Ends(Socket client, Socket server) {}

  private static final int CHUNK = 16 * 1024;

  private final Deque<AutoCloseable> resources = new ArrayDeque<>(); // guarded by itself
  private final ConcurrentLinkedQueue<Ends> settled = new ConcurrentLinkedQueue<>();

  /** Nothing is opened yet. */
  protected SocketContract() {}

  @AfterEach
  @Timeout(value = 120, unit = SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  final void closeAll() throws Exception {
    try {
      for (Ends ends : settled) {
        if (!ends.client.isClosed() && !ends.server.isClosed()) {
          sockets().assertCarried(ends.client, ends.server);
        }
      }
    } finally {
      synchronized (resources) {
        for (AutoCloseable resource : resources) {
          resource.close();
        }
        resources.clear();
      }
    }
  }

  /** The sockets of this row. */
  protected final Sockets sockets() {
    return carrier().sockets();
  }

  /** Closes the resource after the test. */
  protected final <T extends AutoCloseable> T closing(T resource) {
    synchronized (resources) {
      resources.push(resource);
    }
    return resource;
  }

  /** A new, unconnected socket. */
  protected final Socket open() throws IOException {
    return closing(sockets().open());
  }

  /** A new, unbound server socket. */
  protected final ServerSocket openServer() throws IOException {
    return closing(sockets().openServer());
  }

  /** A server socket that listens on this host. */
  protected final ServerSocket listen() throws IOException {
    ServerSocket listener = openServer();
    listener.bind(Network.anyPort());
    return listener;
  }

  /** A socket that is connected to the listener. */
  protected final Socket connect(ServerSocket listener) throws IOException {
    Socket client = open();
    client.connect(addressOf(listener));
    return client;
  }

  /** Where to connect to a listener of this host. */
  protected static InetSocketAddress addressOf(ServerSocket listener) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort());
  }

  /** An address of this host at which no process listens. */
  protected static InetSocketAddress deadAddress() throws IOException {
    try (ServerSocket gone = new ServerSocket()) {
      gone.bind(Network.anyPort());
      return addressOf(gone);
    }
  }

  /** A connection on which no byte was sent. */
  protected final Ends freshPair() throws IOException {
    try (ServerSocket listener = sockets().openServer()) {
      listener.bind(Network.anyPort());
      return pair(listener);
    }
  }

  /** A connection to that listener on which no byte was sent. */
  protected final Ends pair(ServerSocket listener) throws IOException {
    Socket client = connect(listener);
    Socket server = closing(listener.accept());
    assertThat(server.getRemoteSocketAddress()).isEqualTo(client.getLocalSocketAddress());
    return new Ends(client, server);
  }

  /** A connection that the carrier carries by now; asserted once more after the test. */
  protected final Ends settledPair() throws IOException {
    return settle(freshPair());
  }

  /** Settles a fresh pair. */
  protected final Ends settle(Ends ends) throws IOException {
    sockets().settle(ends.client, ends.server);
    sockets().assertCarried(ends.client, ends.server);
    settled.add(ends);
    return ends;
  }

  @Override
  public final Connection freshConnection() throws IOException {
    return connection(freshPair());
  }

  @Override
  public final Connection settledConnection() throws IOException {
    return connection(settledPair());
  }

  private static Connection connection(Ends ends) throws IOException {
    return new Connection(new SocketEnd(ends.client), new SocketEnd(ends.server));
  }

  @Override
  public final void assertReset(@Nullable Throwable failure) {
    assertThat(failure).isExactlyInstanceOf(SocketException.class).hasMessage("Connection reset");
  }

  @Override
  public final void assertBroken(@Nullable Throwable failure) {
    assertThat(failure)
        .isExactlyInstanceOf(SocketException.class)
        .message()
        .matches("Broken pipe|Connection reset.*");
  }

  /** Closes an end so that the kernel resets the connection instead of ending it. */
  protected static void reset(Socket end) throws IOException {
    end.setSoLinger(true, 0);
    end.close();
  }

  /** Sends all the characters. */
  protected static void send(Socket to, String text) throws IOException {
    to.getOutputStream().write(text.getBytes(US_ASCII));
  }

  /** Receives exactly so many characters. */
  protected static String receive(Socket from, int length) throws IOException {
    return new String(from.getInputStream().readNBytes(length), US_ASCII);
  }

  /** Sends text one way and fails unless it arrives. */
  protected static void exchange(Socket from, Socket to, String text) throws IOException {
    send(from, text);
    assertThat(receive(to, text.length())).isEqualTo(text);
  }

  /** Sends text both ways. */
  protected static void talk(Ends ends) throws IOException {
    exchange(ends.client, ends.server, "there");
    exchange(ends.server, ends.client, "back");
  }

  /** Writes so many bytes of a tape. */
  protected static void writeTape(Socket to, Tape tape, long length) throws IOException {
    OutputStream out = to.getOutputStream();
    byte[] chunk = new byte[CHUNK];
    for (long left = length; left > 0; ) {
      int n = (int) Math.min(left, CHUNK);
      tape.fill(ByteBuffer.wrap(chunk, 0, n));
      out.write(chunk, 0, n);
      left -= n;
    }
  }

  /** Reads so many bytes and compares them with a tape. */
  protected static void readTape(Socket from, Tape tape, long length) throws IOException {
    InputStream in = from.getInputStream();
    byte[] chunk = new byte[CHUNK];
    for (long left = length; left > 0; ) {
      int n = in.read(chunk, 0, (int) Math.min(left, CHUNK));
      assertThat(n).as("bytes read, %s are missing", left).isPositive();
      tape.verify(ByteBuffer.wrap(chunk, 0, n));
      left -= n;
    }
  }

  /** A thread that writes until the connection takes no more, and then blocks. */
  protected static Background<@Nullable Void> blockedWriter(Socket to) throws Exception {
    OutputStream out = to.getOutputStream();
    return Background.run(
            () -> {
              byte[] chunk = new byte[256 * 1024];
              for (; ; ) {
                out.write(chunk);
              }
            })
        .awaitBlocked();
  }

  /** Passes a null to code whose answer to null is the point of a test. */
  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  protected static <T> T nothing() {
    return null;
  }
}
