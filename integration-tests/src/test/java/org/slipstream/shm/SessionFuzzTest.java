package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.fuzz.FuzzTest;
import org.slipstream.fuzz.Fuzzer;
import org.slipstream.fuzz.Trace;
import org.slipstream.provider.nio.Installation;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.SlipstreamCarrier;
import org.slipstream.testkit.TestDirectory;
import org.slipstream.transport.slab.SlabLayout;

/**
 * A process of the same user says anything on the session socket of a live process: handshakes,
 * slabs, offers, notices about links that exist. A stream of another process that is on the ring
 * stays there, with every byte, and the control thread allocates no more than what was said is
 * worth.
 *
 * <p>An input is a whole conversation. Behind it comes a slab that does not exist: the answer shows
 * that everything before was accepted.
 */
class SessionFuzzTest {
  private static final int PROBE = 0x7777;

  /** What is counted of another thread may be wrong by a buffer that it allocates from. */
  private static final long ALLOCATION = 64 << 20;

  private static final long MEAN_ALLOCATION = 1 << 20;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** Each slab that can not be mapped is worth a line, but not thousands of them. */
  private static final Logger LOG = Logger.getLogger("org.slipstream.shm");

  private static @Nullable TestDirectory directory;
  private static Path home;
  private static SlipstreamCarrier carrier;
  private static Network net;
  private static Pair pair;
  private static int[] census;
  private static Path socket;
  private static long controlThread;
  private static Level usual;

  private final ByteBuffer heard = ByteBuffer.allocate(1 << 20);
  private int conversations;

  @BeforeAll
  static void start() throws IOException {
    usual = LOG.getLevel();
    LOG.setLevel(Level.OFF);
    directory = TestDirectory.create();
    home = directory.path();
    Properties settings = new Properties();
    settings.setProperty("slipstream.dir", home.resolve("run").toString());
    carrier = new SlipstreamCarrier("fuzz", settings, List.of(new ShmTransport()));
    net = new Network(carrier);
    pair = net.settledPair();
    census = carrier.core().census();
    socket = find("ctl");
    controlThread = controlThreadOf();
    // A slab of the process that the corpus greets as: 2 slots, rings of 16 KiB.
    Path slab = socket.getParent().resolveSibling("0001020304050607").resolve("slab-0");
    Files.createDirectory(slab.getParent());
    try (RandomAccessFile file = new RandomAccessFile(slab.toFile(), "rw")) {
      file.setLength(new SlabLayout(2, 16 * 1024).bytes());
    }
  }

  /** The last one that was started: other tests of this JVM may have left theirs. */
  private static long controlThreadOf() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().equals("slipstream-control"))
        .mapToLong(Thread::threadId)
        .max()
        .orElseThrow();
  }

  @AfterAll
  static void stop() throws IOException {
    LOG.setLevel(usual);
    await().untilAsserted(() -> assertThat(carrier.core().census()).isEqualTo(census));
    net.close();
    carrier.core().stop();
    Objects.requireNonNull(directory).close();
  }

  private static Path find(String name) throws IOException {
    try (Stream<Path> all = Files.walk(home)) {
      return all.filter(p -> p.endsWith(name)).findFirst().orElseThrow();
    }
  }

  @FuzzTest
  void whateverIsSaidOthersGoOn() {
    long before = THREADS.getThreadAllocatedBytes(controlThread);
    long inputs =
        Fuzzer.hex("session")
            .longest(16 * 1024)
            .allocating(4 << 20)
            .reaching("HELLO", "slab mapped", "slab refused", "frame", "ANSWER")
            .run(this::take);
    long allocated = THREADS.getThreadAllocatedBytes(controlThread) - before;
    assertThat(allocated / inputs).as("bytes for each").isLessThan(MEAN_ALLOCATION);
  }

  private void take(byte[] input, Trace trace) throws IOException {
    long before = THREADS.getThreadAllocatedBytes(controlThread);
    try (SocketChannel hostile = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      say(hostile, input);
      hear(hostile, trace);
    }
    long allocated = THREADS.getThreadAllocatedBytes(controlThread) - before;
    assertThat(allocated).as("bytes that the control thread allocated").isLessThan(ALLOCATION);
    if (conversations++ % 16 == 0) {
      assertOthersGoOn();
    }
  }

  private static void say(SocketChannel hostile, byte[] input) {
    ByteBuffer all = ByteBuffer.allocate(input.length + Wire.HEADER_BYTES + 12);
    all.put(input).put(Wire.slab(PROBE, new SlabLayout(1, 16 * 1024))).flip();
    try {
      hostile.configureBlocking(false); // a peer that is refused must not wait for room
      hostile.write(all);
      hostile.shutdownOutput();
      hostile.configureBlocking(true);
    } catch (IOException e) {
      assertThat(e).hasMessageMatching("Broken pipe|Connection reset.*");
    }
  }

  /** Reads until we are shown out; the end of what we say is the end of the session. */
  private void hear(SocketChannel hostile, Trace trace) throws IOException {
    heard.clear();
    try {
      hostile.configureBlocking(true);
      while (hostile.read(heard) > 0) {}
    } catch (IOException e) {
      assertThat(e).hasMessageMatching("Broken pipe|Connection reset.*");
    }
    boolean probed = false;
    heard.flip();
    while (heard.remaining() >= Wire.HEADER_BYTES) {
      int length = heard.getInt();
      byte kind = heard.get();
      assertThat(length).as("whole messages").isBetween(0, heard.remaining());
      ByteBuffer body = heard.slice(heard.position(), length);
      heard.position(heard.position() + length);
      switch (kind) {
        case Wire.HELLO -> trace.reached("HELLO");
        case Wire.FRAME -> trace.reached("frame");
        case Wire.ANSWER -> {
          trace.reached("ANSWER");
          probed = true;
        }
        case Wire.MAPPED -> {
          probed |= body.getInt(0) == PROBE;
          trace.reached(body.get(4) == 1 ? "slab mapped" : "slab refused");
        }
        default -> {}
      }
    }
    if (!probed) {
      trace.refused("shown out");
    }
  }

  private static void assertOthersGoOn() throws IOException {
    long before = ring(pair.client());
    Bytes.exchange(pair.client(), pair.server(), "ping");
    Bytes.exchange(pair.server(), pair.client(), "pong");
    assertThat(ring(pair.client())).as("bytes on the ring").isGreaterThan(before);
  }

  private static long ring(SocketChannel channel) {
    StreamStatus status = Objects.requireNonNull(Installation.status(channel));
    return status.ringBytesOut();
  }
}
