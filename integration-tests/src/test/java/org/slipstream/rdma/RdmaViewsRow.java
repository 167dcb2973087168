package org.slipstream.rdma;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.Link;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/**
 * Memory of programs that a real device reads where it is, through whichever view, and never other
 * pages than those that the program wrote. Runs inside the guest.
 */
public class RdmaViewsRow {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");

  /** Each test has its own: an endpoint of the one before may still be about to stop listening. */
  private static final AtomicInteger PORTS = new AtomicInteger(7700);

  /** So large that malloc maps it, and gives it back to the kernel when it is freed. */
  private static final int LARGE = 4 << 20;

  private static final int NETTY_MESSAGE = 256 * 1024;

  private final TestHost serverHost = new TestHost();
  private final TestHost clientHost = new TestHost();
  private final InetSocketAddress address = new InetSocketAddress(HOST, PORTS.getAndIncrement());
  private long pinnedBefore;
  private RdmaEndpoint server;
  private RdmaEndpoint client;
  private Closeable announced;
  private Session session;
  private Link link;
  private Window there;
  private int size;

  @BeforeEach
  void open() throws Exception {
    pinnedBefore = pinnedByKernel();
    RdmaSettings settings = RdmaSettings.read(new Properties());
    server = new RdmaEndpoint(serverHost, settings);
    client = new RdmaEndpoint(clientHost, settings);
    announced = server.announce(address);
    session = clientHost.find(client, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
    await().untilAsserted(() -> assertThat(serverHost.opened).hasSize(1));
    there = serverHost.onReactor(serverHost.opened.getFirst()::allocateWindow);
    Window here = clientHost.onReactor(session::allocateWindow);
    ByteBuffer descriptor = ByteBuffer.allocate(WindowDescriptor.BYTES);
    there.descriptor(descriptor);
    link = clientHost.onReactor(() -> session.join(here, descriptor.flip()));
    size = (int) link.sendRing().byteSize();
  }

  /** Whatever was registered is not, when the session is over; the kernel says so too. */
  @AfterEach
  void close() throws Exception {
    assertThat(pinnedByKernel()).as("kB of slabs and buffers").isGreaterThan(pinnedBefore);
    session.abort("the test is over");
    await()
        .untilAsserted(() -> {
          assertThat(clientHost.lost).hasSize(1);
          assertThat(serverHost.lost).hasSize(1);
          assertThat(client.pins().holders()).isZero();
          assertThat(client.pins().pinnedBytes()).isZero();
          assertThat(pinnedByKernel()).as("kB").isEqualTo(pinnedBefore);
        });
    announced.close();
    client.close();
    server.close();
    serverHost.close();
    clientHost.close();
  }

  /** Of this process, in kB. */
  private static long pinnedByKernel() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      String line = lines.filter(l -> l.startsWith("VmPin:")).findAny().orElseThrow();
      return Long.parseLong(line.replaceAll("\\D", ""));
    }
  }

  private PinDownCache pinned() {
    return ((RdmaSession) session).connection().pinned();
  }

  private static ByteBuffer filled(int value) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(LARGE);
    MemorySegment.ofBuffer(buffer).fill((byte) value);
    return buffer;
  }

  /** Sends a ring full of a buffer from where it is, and returns what the peer has then. */
  private byte[] zeroCopy(ByteBuffer buffer) {
    await().until(() -> link.pushFrom(buffer, 0, 0, size));
    link.awaitTaken();
    link.flush();
    assertThat(link.isBroken()).isFalse();
    return there.ring().toArray(JAVA_BYTE);
  }

  @Test
  void slicesOfRegisteredMemoryTravelFromWhereTheyAre() {
    ByteBuffer buffer = filled(1);
    for (int i = 0; i < size; i++) {
      buffer.put(LARGE / 2 + i, (byte) (i * 13));
    }
    assertThat(zeroCopy(buffer)).containsOnly(1);
    ByteBuffer slice = buffer.slice(LARGE / 2, size);
    assertThat(link.pushFrom(slice.duplicate(), 0, 0, size)).as("at once").isTrue();
    link.awaitTaken();
    link.flush();
    for (int i = 0; i < size; i++) {
      assertThat(there.ring().get(JAVA_BYTE, i)).isEqualTo((byte) (i * 13));
    }
    assertThat(pinned().registrations()).isEqualTo(1);
    assertThat(pinned().pinnedBytes()).isEqualTo(LARGE);
  }

  /** The device still has the old pages, pinned; at their address there are others now. */
  @Test
  void memoryThatWasFreedAndAllocatedAgainIsNotMistaken() throws Exception {
    List<ByteBuffer> views = new ArrayList<>();
    ByteBuffer next = null;
    for (int i = 0; i < 50 && next == null; i++) {
      ByteBuffer old = filled(66);
      assertThat(zeroCopy(old)).containsOnly(66);
      views.add(old.duplicate());
      long where = MemorySegment.ofBuffer(old).address();
      free(old);
      ByteBuffer other = filled(77);
      next = MemorySegment.ofBuffer(other).address() == where ? other : null;
    }
    assertThat(next).as("malloc gave the same address again").isNotNull();
    assertThat(zeroCopy(next.slice(0, size))).containsOnly(77);
    assertThat(zeroCopy(next)).containsOnly(77);
    assertThat(views).isNotEmpty(); // still held
  }

  @Test
  void pooledBuffersOfNettyTravelFromWhereTheyAre() throws Exception {
    assertZeroCopy(new PooledByteBufAllocator(true));
  }

  @Test
  void adaptiveBuffersOfNettyTravelFromWhereTheyAre() throws Exception {
    assertZeroCopy(new AdaptiveByteBufAllocator(true));
  }

  /**
   * One message after the other, as a channel writes them. A place in memory is seen at first, then
   * registered, and sent without a copy the third time. The first buffers of an allocator may have
   * other places.
   */
  private void assertZeroCopy(ByteBufAllocator allocator) throws Exception {
    assertThat(PlatformDependent.hasUnsafe())
        .as("--sun-misc-unsafe-memory-access=allow; otherwise its memory is an arena's")
        .isTrue();
    Map<Long, Integer> uses = new HashMap<>();
    List<ByteBuffer> views = new ArrayList<>(); // a collection in between would begin it anew
    boolean zeroCopied = false;
    for (int message = 0; message < 10 && !zeroCopied; message++) {
      ByteBuf buffer = allocator.directBuffer(NETTY_MESSAGE, NETTY_MESSAGE);
      for (int i = 0; i < NETTY_MESSAGE; i++) {
        buffer.writeByte(i * 7 + message);
      }
      ByteBuffer view = buffer.internalNioBuffer(buffer.readerIndex(), buffer.readableBytes());
      views.add(view);
      zeroCopied = link.pushFrom(view, view.position(), 0, size);
      if (zeroCopied) {
        assertArrivesFrom(view);
      } else {
        int times = uses.merge(MemorySegment.ofBuffer(view).address(), 1, Integer::sum);
        assertThat(times).as("uses of one place, each copied").isLessThan(3);
      }
      buffer.release();
      awaitEventThread();
    }
    assertThat(zeroCopied).isTrue();
    assertThat(views).hasSizeGreaterThan(1);
  }

  private void assertArrivesFrom(ByteBuffer view) {
    link.awaitTaken();
    link.flush();
    assertThat(there.ring().mismatch(MemorySegment.ofBuffer(view).asSlice(0, size))).isEqualTo(-1);
    assertThat(link.sendRing().get(JAVA_BYTE, 1)).as("no copy").isZero();
  }

  /** What it was asked to register is registered when this returns. */
  private void awaitEventThread() throws Exception {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    ((RdmaSession) session).events().execute(() -> done.complete(true));
    done.get(Patience.DEADLINE.toSeconds(), SECONDS);
  }

  /** As Netty does without waiting for the garbage collector. */
  private static void free(ByteBuffer buffer) throws Exception {
    Class<?> unsafe = Class.forName("sun.misc.Unsafe");
    Field field = unsafe.getDeclaredField("theUnsafe");
    field.setAccessible(true);
    unsafe.getMethod("invokeCleaner", ByteBuffer.class).invoke(field.get(null), buffer);
  }
}
