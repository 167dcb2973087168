package org.slipstream.benchmarks.jcstress;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.transport.ControlLayout;

/** A client's and a server's stream over one connection without a kernel, not yet joined. */
final class JoinedStreams {
  private static final byte[] NONCE = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  /** Much longer than a stress test takes. */
  private static final long PATIENCE_NS = 1_000_000_000;

  final Stream client;
  final Stream server;

  private final StreamLink clientLink;
  private final StreamLink serverLink;

  JoinedStreams() {
    HeapLink.Pair pair = Ends.link();
    StubConnection a = new StubConnection();
    StubConnection b = new StubConnection();
    StubConnection.connect(a, b);
    StubHost clientHost = new StubHost();
    StubHost serverHost = new StubHost();
    try {
      a.configureBlocking(false);
      b.configureBlocking(false);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    client = new Stream(a, true, clientHost, clientHost);
    server = new Stream(b, false, serverHost, serverHost);
    clientLink = clientHost.link(pair.a(), NONCE);
    clientLink.provePeer();
    serverLink = serverHost.link(pair.b(), NONCE);
  }

  /** What the control threads do when the server has accepted the offer; any thread. */
  void join() {
    serverLink.consumer().credit().open();
    server.attach(serverLink);
    clientLink.consumer().credit().open();
    client.attach(clientLink);
  }

  /** The client's direction must leave the ring with its next write. */
  void clientFallsBack() {
    clientLink.markRevoked();
  }

  /** Whether the server's program wants urgent bytes in line, as far as the client was told. */
  boolean isClientToldOfInline() {
    return (clientLink.consumer().peerFlags() & ControlLayout.FLAG_OOB_INLINE) != 0;
  }

  /** Its control thread hears that the session is over, and asks whether it may be joined again. */
  boolean clientIsJoinableAfterLoss() {
    clientLink.markLost();
    return client.isJoinable();
  }

  /** As {@link #clientIsJoinableAfterLoss}, at the other end. */
  boolean serverIsJoinableAfterLoss() {
    serverLink.markLost();
    return server.isJoinable();
  }

  static void write(Stream stream, String text) {
    try {
      ByteBuffer src = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
      while (src.hasRemaining()) {
        stream.write(src, false);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** One read, behind what was read before. */
  static void read(Stream stream, ByteBuffer got) {
    try {
      stream.read(got, false, 0);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Reads the rest, alone. */
  static boolean isAll(Stream stream, ByteBuffer got, String expected) {
    long deadline = System.nanoTime() + PATIENCE_NS;
    while (got.position() < expected.length() && System.nanoTime() - deadline < 0) {
      stream.readiness().absorb();
      read(stream, got);
    }
    return got.duplicate()
        .flip()
        .equals(ByteBuffer.wrap(expected.getBytes(StandardCharsets.US_ASCII)));
  }
}
