package org.slipstream.core.stream;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.RingEnd;
import org.slipstream.core.wait.LoadSensor;
import org.slipstream.core.wait.WaitClock;
import org.slipstream.testkit.transport.HeapLink;

/**
 * One stream under test, and the test in the place of its peer: the other end of the TCP connection
 * is a plain socket, the other end of the link a pair of rings, so that every byte of the protocol
 * can be sent by hand.
 */
final class Bench implements StreamHost, StreamLink.LinkControl, InterruptScope, AutoCloseable {
  static final int RING = 64 * 1024;

  final Stream stream;

  /** The peer's end of the TCP connection. */
  final SocketChannel wire;

  /** The peer's end of the link. */
  final RingEnd peer;

  final StreamLink link;
  final byte[] nonce = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
  final AtomicInteger creditNotices = new AtomicInteger();
  final AtomicInteger revokes = new AtomicInteger();
  final AtomicInteger failed = new AtomicInteger();
  final AtomicInteger looks = new AtomicInteger();
  final AtomicInteger unused = new AtomicInteger();
  final AtomicInteger signalled = new AtomicInteger();
  final AtomicInteger lingering = new AtomicInteger();
  final List<Stream> eligible = Collections.synchronizedList(new ArrayList<>());

  /** So many of the next things that the stream asks of its host fail for want of memory. */
  final AtomicInteger shortages = new AtomicInteger();

  /** What happens while MARK is being taken. */
  Runnable whenProven = () -> {};

  private final LoadSensor sensor;
  private final SocketChannel tcp;
  private final int spinNanos;
  private final long firstWriteGrace;
  private final WaitClock clock;

  private Bench(boolean client, int ringBytes) throws IOException {
    this(client, HeapLink.pair(ringBytes, ringBytes), 0);
  }

  private Bench(boolean client, HeapLink.Pair pair, int spinNanos) throws IOException {
    this(client, pair, spinNanos, 0, WaitClock.SYSTEM);
  }

  private Bench(
      boolean client, HeapLink.Pair pair, int spinNanos, long firstWriteGrace, WaitClock clock)
      throws IOException {
    this.clock = clock;
    this.spinNanos = spinNanos;
    this.firstWriteGrace = firstWriteGrace;
    this.sensor = new LoadSensor(spinNanos > 0 ? 2 : 1);
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      SocketChannel connected = SocketChannel.open(listener.getLocalAddress());
      SocketChannel accepted = listener.accept();
      tcp = client ? connected : accepted;
      wire = client ? accepted : connected;
    }
    wire.setOption(StandardSocketOptions.TCP_NODELAY, true);
    tcp.setOption(StandardSocketOptions.TCP_NODELAY, true);
    stream = new Stream(tcp, client, this, this);
    peer = new RingEnd(pair.b());
    link = new StreamLink(new FakeSession("peer"), 1, 2, pair.a().window(), pair.a(), nonce, this);
    if (client) {
      link.provePeer();
    }
  }

  static Bench client() throws IOException {
    return new Bench(true, RING);
  }

  static Bench server() throws IOException {
    return new Bench(false, RING);
  }

  /**
   * Over a medium that loses stores; a reader that has to wait looks for so long before it sleeps.
   */
  static Bench provingServer(int spinNanos) throws IOException {
    HeapLink.Pair pair = HeapLink.pair(RING, RING);
    return new Bench(false, new HeapLink.Pair(pair.a().proving(), pair.b().proving()), spinNanos);
  }

  static Bench server(int ringBytes) throws IOException {
    return new Bench(false, ringBytes);
  }

  /** The stream's first write waits for the ring for so many nanoseconds. */
  static Bench eager(boolean client, long firstWriteGrace) throws IOException {
    return new Bench(client, HeapLink.pair(RING, RING), 0, firstWriteGrace, WaitClock.SYSTEM);
  }

  /** A client that bears a full ring by a clock of the test. */
  static Bench client(WaitClock clock) throws IOException {
    return new Bench(true, HeapLink.pair(RING, RING), 0, 0, clock);
  }

  /** Over any link. */
  static Bench over(boolean client, HeapLink.Pair pair) throws IOException {
    return new Bench(client, pair, 0);
  }

  /** While MARK is being taken. */
  @Override
  public void linkProven(StreamLink proven) {
    needMemory();
    whenProven.run();
  }

  /** Both ends know the link; no end has switched. */
  Bench attached() {
    peer.consumer().credit().open();
    link.consumer().credit().open();
    stream.attach(link);
    return this;
  }

  /** The stream's channel does not block, and nor does the stream. */
  Bench nonBlocking() throws IOException {
    tcp.configureBlocking(false);
    return this;
  }

  // -- the peer --------------------------------------------------------------------------------

  void wire(byte... bytes) throws IOException {
    ByteBuffer b = ByteBuffer.wrap(bytes);
    while (b.hasRemaining()) {
      wire.write(b);
    }
  }

  void wire(String text) throws IOException {
    wire(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** Sends bytes and returns when the stream's kernel has them all. */
  void wireAndWait(byte... bytes) throws IOException {
    int before = tcp.socket().getInputStream().available();
    wire(bytes);
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInSameThread()
        .pollDelay(java.time.Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> tcp.socket().getInputStream().available() >= before + bytes.length);
  }

  /** The peer switches at the count. */
  void peerSwitchesAt(long rawBytes) throws IOException {
    peer.producer().epochs().begin(rawBytes);
    wire(nonce);
  }

  /** The peer sends through the ring. */
  void toRing(String text) throws IOException {
    int n =
        peer.producer()
            .write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), this::ringDoorbell);
    if (n != text.length()) {
      throw new IOException("the ring is full");
    }
  }

  /** Takes what has arrived at the peer's end of the TCP connection, and does not wait for more. */
  void fromWireNow() throws IOException {
    int n = wire.socket().getInputStream().available();
    if (n > 0) {
      wire.read(ByteBuffer.allocate(n));
    }
  }

  boolean ringDoorbell() throws IOException {
    signalled.incrementAndGet();
    wire(ControlBytes.DOORBELL);
    return true;
  }

  byte[] back(long position) {
    ByteBuffer b = ControlBytes.back(position);
    byte[] bytes = new byte[b.remaining()];
    b.get(bytes);
    return bytes;
  }

  // -- the stream ------------------------------------------------------------------------------

  /** One read. */
  String read(int room, boolean blocking) throws IOException {
    ByteBuffer dst = ByteBuffer.allocate(room);
    int n = stream.read(dst, blocking, 0);
    return n < 0 ? "end" : new String(dst.array(), 0, dst.position(), StandardCharsets.US_ASCII);
  }

  /** Reads without blocking until so many characters have come. */
  String readFully(int characters) {
    StringBuilder all = new StringBuilder();
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInSameThread()
        .pollDelay(java.time.Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> {
          all.append(read(characters, false));
          return all.length() >= characters;
        });
    return all.toString();
  }

  int write(String text, boolean blocking) throws IOException {
    return stream.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), blocking);
  }

  /** Takes exactly so many bytes off the peer's end of the TCP connection. */
  String fromWire(int n) throws IOException {
    ByteBuffer b = ByteBuffer.allocate(n);
    while (b.hasRemaining() && wire.read(b) >= 0) {
      Thread.onSpinWait();
    }
    return new String(b.array(), 0, b.position(), StandardCharsets.US_ASCII);
  }

  /** Takes what is in the peer's ring. */
  String fromRing() throws IOException {
    ByteBuffer b = ByteBuffer.allocate(RING);
    int n;
    do {
      n = peer.consumer().read(b);
    } while (n > 0);
    return new String(b.array(), 0, b.position(), StandardCharsets.US_ASCII);
  }

  // -- what a stream needs ---------------------------------------------------------------------

  @Override
  public LoadSensor loadSensor() {
    return sensor;
  }

  @Override
  public int maxSpinNanos() {
    return spinNanos;
  }

  @Override
  public long firstWriteGraceNanos() {
    return firstWriteGrace;
  }

  @Override
  public WaitClock clock() {
    return clock;
  }

  @Override
  public void eligible(Stream s) {
    needMemory();
    eligible.add(s);
  }

  private void needMemory() {
    if (shortages.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
      throw new OutOfMemoryError("injected");
    }
  }

  @Override
  public void closed(Stream s) {}

  @Override
  public void linger(SocketChannel tcp, @Nullable ByteBuffer unsent, LateControlBytes late) {
    lingering.incrementAndGet();
    try {
      tcp.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void sendCreditNotice(StreamLink l) {
    needMemory();
    creditNotices.incrementAndGet();
  }

  @Override
  public void askToLook(StreamLink l) {
    looks.incrementAndGet();
  }

  @Override
  public void linkFailed(StreamLink l) {
    failed.incrementAndGet();
  }

  @Override
  public void sendRevoke(StreamLink l) {
    revokes.incrementAndGet();
  }

  @Override
  public void linkUnused(StreamLink l) {
    unused.incrementAndGet();
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
  public void close() throws IOException {
    stream.close(stream.tcp().isBlocking());
    wire.close();
  }
}
