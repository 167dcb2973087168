package org.slipstream.rdma;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.slipstream.testkit.Patience.await;

import java.io.Closeable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.verbs.MemoryRegion;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.Availability;
import org.slipstream.transport.Link;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/** Two endpoints without a core, over a real queue pair. Runs inside the guest. */
public class RdmaSessionRow extends RdmaEndpoints {
  @Test
  void theDoctorsExchange() throws Exception {
    Availability probe = new RdmaTransport().probe(serverHost.settings());
    assertThat(probe.available()).as(probe.reason()).isTrue();
    assertThat(probe.reason()).matches("a write with its read-back takes \\d+ us at " + HOST);
  }

  @Test
  void oneSessionForAllStreamsToAProcess() throws Exception {
    Session first = connect();
    assertThat(clientHost.find(client, address).get(Patience.DEADLINE.toSeconds(), SECONDS))
        .isSameAs(first);
    InetSocketAddress other = new InetSocketAddress(HOST, address.getPort() + 1);
    try (Closeable second = server.announce(other)) {
      assertThat(clientHost.find(client, other).get(Patience.DEADLINE.toSeconds(), SECONDS))
          .isSameAs(first);
      assertThat(second).isNotNull();
    }
    assertThat(serverHost.opened).hasSize(1);
  }

  @Test
  void noPeerListensThere() throws Exception {
    InetSocketAddress dead = new InetSocketAddress(HOST, address.getPort() + 2);
    assertThatThrownBy(
            () -> clientHost.find(client, dead).get(Patience.DEADLINE.toSeconds(), SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("no peer at");
    int again = clientHost.onReactor(() -> client.findPeers(dead, s -> {}, () -> {}));
    assertThat(again).as("not asked again so soon").isZero();
    assertThat(clientHost.onReactor(() -> client.mayFindLater(dead))).as("later").isTrue();
  }

  @Test
  void onlyPortsThatAreAllowedAreUsed() throws Exception {
    try (TestHost otherHost = new TestHost()) {
      RdmaEndpoint other = new RdmaEndpoint(otherHost, settings("ports", "mlx5_0"));
      assertThat(otherHost.onReactor(() -> other.reaches(address, address))).isFalse();
      assertThat(clientHost.onReactor(() -> client.reaches(address, address))).isTrue();
      assertIsNotFoundBy(otherHost, other);
    }
  }

  private void assertIsNotFoundBy(TestHost otherHost, RdmaEndpoint other) throws Exception {
    assertThatThrownBy(
            () -> otherHost.find(other, address).get(Patience.DEADLINE.toSeconds(), SECONDS))
        .hasMessageContaining("no peer at");
    assertThat(otherHost.onReactor(() -> other.mayFindLater(address))).as("later").isFalse();
    other.close();
  }

  @Test
  @Tag("RoCE")
  void onlyGidsThatAreAllowedAreUsed() throws Exception {
    try (TestHost otherHost = new TestHost()) {
      RdmaEndpoint other = new RdmaEndpoint(otherHost, settings("gids", "10.1.2.3, fe80::1"));
      assertThat(otherHost.onReactor(() -> other.reaches(address, address))).isFalse();
      assertIsNotFoundBy(otherHost, other);
    }
    try (TestHost otherHost = new TestHost()) {
      RdmaEndpoint other = new RdmaEndpoint(otherHost, settings("gids", "10.1.2.3," + HOST));
      assertThat(otherHost.onReactor(() -> other.reaches(address, address))).isTrue();
      assertFinds(otherHost, other);
    }
  }

  private void assertFinds(TestHost otherHost, RdmaEndpoint other) throws Exception {
    Session session = otherHost.find(other, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
    assertThat(session.isOpen()).isTrue();
    session.abort("the test is over");
    other.close();
  }

  @Test
  @Tag("RoCE")
  void thePathMtuCanBeLowered() throws Exception {
    try (TestHost otherHost = new TestHost()) {
      RdmaEndpoint other = new RdmaEndpoint(otherHost, settings("path.mtu", "512"));
      Session session = otherHost.find(other, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
      await().untilAsserted(() -> assertThat(serverHost.opened).hasSize(1));
      Window there = serverHost.onReactor(accepted()::allocateWindow);
      Window here = otherHost.onReactor(session::allocateWindow);
      ByteBuffer descriptor = ByteBuffer.allocate(32);
      there.descriptor(descriptor);
      Link link = otherHost.onReactor(() -> session.join(here, descriptor.flip()));
      int size = (int) link.sendRing().byteSize();
      link.sendRing().fill((byte) 7);
      long before = DeviceCounters.packets();
      link.push(0, size);
      link.publish(0, size);
      link.flush();
      assertThat(there.ring().mismatch(link.sendRing())).isEqualTo(-1);
      // The kernel looks at its counters every few milliseconds only.
      await()
          .untilAsserted(() ->
              assertThat(DeviceCounters.packets() - before).isGreaterThanOrEqualTo(size / 512));
      session.abort("the test is over");
      other.close();
    }
  }

  @Test
  @Tag("RoCE")
  void onlyPartitionsThatAreAllowedAreUsed() throws Exception {
    try (TestHost otherHost = new TestHost()) {
      assertIsNotFoundBy(otherHost, new RdmaEndpoint(otherHost, settings("pkeys", "0x8001")));
    }
    try (TestHost otherHost = new TestHost()) {
      assertFinds(otherHost, new RdmaEndpoint(otherHost, settings("pkeys", "0x8001,0xffff")));
    }
  }

  @Test
  @Tag("RoCE")
  void bothEndsSendWithTheTrafficClassThatWasSet() throws Throwable {
    assertThat(trafficClass(connect())).as("of the system").isNotEqualTo(0x68);
    serverHost.opened.clear();
    try (TestHost otherHost = new TestHost()) {
      RdmaEndpoint other = new RdmaEndpoint(otherHost, settings("traffic.class", "0x68"));
      Session session = otherHost.find(other, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
      await().until(() -> serverHost.opened.size() == 1);
      assertThat(trafficClass(session)).isEqualTo(0x68);
      assertThat(trafficClass(accepted())).isEqualTo(0x68);
      session.abort("the test is over");
      other.close();
    }
  }

  private static int trafficClass(Session session) throws Throwable {
    return Natives.trafficClass(((RdmaSession) session).connection().queuePair());
  }

  @Test
  void framesArriveInOrderWhateverTheCredit() throws Exception {
    Session session = connect();
    long notReady = DeviceCounters.receiversNotReady();
    int count = 1000; // many times the receives that the peer posts
    for (int i = 0; i < count; i++) {
      session.send(ByteBuffer.allocate(4 + i % 1000).putInt(0, i));
      accepted().send(ByteBuffer.allocate(4 + i % 10).putInt(0, i));
    }
    await().until(() -> serverHost.frames.size() == count && clientHost.frames.size() == count);
    for (int i = 0; i < count; i++) {
      assertThat(serverHost.frames.get(i)).hasSize(4 + i % 1000);
      assertThat(ByteBuffer.wrap(serverHost.frames.get(i)).getInt()).isEqualTo(i);
      assertThat(ByteBuffer.wrap(clientHost.frames.get(i)).getInt()).isEqualTo(i);
    }
    assertThat(DeviceCounters.receiversNotReady()).as("no receive").isEqualTo(notReady);
  }

  @Test
  void whatIsPublishedIsPlacedWhenTheFenceReturns() throws Exception {
    Joined j = join(connect(), 0);
    ByteBuffer ring = j.link().sendRing().asByteBuffer();
    for (int i = 0; i < ring.capacity(); i++) {
      ring.put(i, (byte) (i * 31));
    }
    j.link().push(0, ring.capacity());
    j.link().sendControl().set(JAVA_LONG_UNALIGNED, 40, 4711);
    j.link().publish(0, ring.capacity());
    j.link().flush();
    assertThat(j.link().isBroken()).isFalse();
    assertThat(word(j.there(), 0)).isEqualTo(ring.capacity());
    assertThat(word(j.there(), 40)).as("a plain store before the publish").isEqualTo(4711);
    assertThat(j.there().ring().mismatch(j.link().sendRing())).isEqualTo(-1);
  }

  /**
   * Soft-RoCE does the work within the call that posts it, so its queue never fills, unless the
   * peer is not ready: then what is posted waits behind a message for two thirds of a second.
   */
  @Test
  @Tag("RoCE")
  void aFullSendQueueLosesNothing() throws Exception {
    RdmaSession session = (RdmaSession) connect();
    SendQueue queue = session.connection().sendQueue();
    Joined j = join(session, 0);
    int size = (int) j.link().sendRing().byteSize();
    CountDownLatch goOn = new CountDownLatch(1);
    holdUp(((RdmaSession) accepted()).events(), goOn);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment nothing = arena.allocate(MessageLayout.SLOT_BYTES);
      MessageLayout.write(nothing, 0, ByteBuffer.allocate(0), false);
      MemoryRegion region = session.connection().domain().registerLocal(nothing);
      for (int i = 0; i <= ControlChannel.RECEIVES; i++) { // one more than it has posted
        sendUnasked(queue, nothing.asSlice(0, MessageLayout.FRAME), region.localKey());
      }
      for (int i = 0; i < 3000; i++) { // three requests each, and 512 fit
        j.link().sendRing().set(JAVA_BYTE, i % size, (byte) i);
        j.link().push(i % size, 1);
        j.link().sendControl().set(JAVA_LONG_UNALIGNED, 40, i);
        j.link().publish(0, i + 1L);
      }
      assertThat(queue.waits()).as("writers that found it full").isPositive();
      goOn.countDown();
      j.link().flush();
      region.close();
    } finally {
      goOn.countDown();
    }
    assertThat(word(j.there(), 0)).isEqualTo(3000);
    assertThat(word(j.there(), 40)).isEqualTo(2999);
    for (int i = 0; i < 3000; i++) {
      assertThat(j.there().ring().get(JAVA_BYTE, i)).as("byte %d", i).isEqualTo((byte) i);
    }
    assertThat(clientHost.lost).isEmpty();
  }

  private static void sendUnasked(SendQueue queue, MemorySegment message, int key) {
    queue.lock.lock();
    try {
      queue.send(message, key);
    } finally {
      queue.lock.unlock();
    }
  }

  @Test
  void aWrongKeyEndsTheSessionOfThePeerThatUsesIt() throws Exception {
    Session session = connect();
    Joined good = join(session, 0);
    Joined bad = join(session, 0x100);
    good.link().publish(0, 1);
    good.link().flush();
    bad.link().publish(0, 99);
    bad.link().flush(); // returns, although nothing was placed
    assertThat(bad.link().isBroken()).isTrue();
    await()
        .untilAsserted(() -> {
          assertThat(clientHost.lost).hasSize(1);
          assertThat(serverHost.lost).hasSize(1);
        });
    assertThat(session.isOpen()).isFalse();
    assertThat(word(good.there(), 0)).as("memory outlives the queue pair").isEqualTo(1);
    assertThat(word(bad.there(), 0)).isZero();
    good.link().publish(0, 2); // harmless
    good.link().release();
    bad.link().release();
    good.there().quarantine();
    bad.there().quarantine();
    // The next search makes a new session.
    serverHost.opened.clear();
    Session next = connect();
    assertThat(next).isNotSameAs(session);
  }

  @Test
  void aKeyOfAnotherSessionIsWorthNothing() throws Exception {
    Session session = connect();
    Joined good = join(session, 0);
    try (TestHost unprovenHost = new TestHost()) {
      RdmaEndpoint unproven = new RdmaEndpoint(unprovenHost, DEFAULTS);
      Session other =
          unprovenHost.find(unproven, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
      Window window = unprovenHost.onReactor(other::allocateWindow);
      ByteBuffer stolen = ByteBuffer.allocate(32);
      good.there().descriptor(stolen);
      Link link = unprovenHost.onReactor(() -> other.join(window, stolen.flip()));
      link.publish(0, 99);
      link.flush();
      assertThat(link.isBroken()).isTrue();
      unproven.close();
    }
    assertWorks(session, good);
  }

  @Test
  void writesOutsideOfTheWindowsEndTheSessionOfTheWriter() throws Exception {
    Session session = connect();
    Joined good = join(session, 0);
    try (TestHost unprovenHost = new TestHost()) {
      RdmaEndpoint unproven = new RdmaEndpoint(unprovenHost, DEFAULTS);
      Session other =
          unprovenHost.find(unproven, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
      Window window = unprovenHost.onReactor(other::allocateWindow);
      await().until(() -> serverHost.opened.size() == 2);
      Window there = serverHost.onReactor(serverHost.opened.get(1)::allocateWindow);
      ByteBuffer far = ByteBuffer.allocate(32);
      there.descriptor(far);
      far.flip().putLong(8, far.getLong(8) + (1L << 30)); // the ring, a gigabyte further
      Link link = unprovenHost.onReactor(() -> other.join(window, far));
      link.push(0, 100);
      link.publish(0, 100);
      link.flush();
      assertThat(link.isBroken()).isTrue();
      assertThat(word(there, 0)).as("what is behind the bad write").isZero();
      unproven.close();
    }
    assertWorks(session, good);
  }

  private void assertWorks(Session session, Joined joined) {
    joined.link().publish(0, 7);
    joined.link().flush();
    assertThat(joined.link().isBroken()).isFalse();
    assertThat(word(joined.there(), 0)).isEqualTo(7);
    assertThat(session.isOpen()).isTrue();
    assertThat(clientHost.lost).isEmpty();
  }

  @Test
  void largeDirectBuffersTravelFromWhereTheyAre() throws Exception {
    Session session = connect();
    Joined j = join(session, 0);
    int size = (int) j.link().sendRing().byteSize();
    ByteBuffer buffer = ByteBuffer.allocateDirect(3 * size);
    for (int i = 0; i < buffer.capacity(); i++) {
      buffer.put(i, (byte) (i * 7));
    }
    await().until(() -> j.link().pushFrom(buffer, size, 0, size));
    j.link().publish(0, size);
    j.link().awaitTaken();
    buffer.put(size, (byte) 99); // ours again
    j.link().flush();
    for (int i = 0; i < size; i++) {
      assertThat(j.there().ring().get(JAVA_BYTE, i)).isEqualTo((byte) ((size + i) * 7));
      assertThat(j.link().sendRing().get(JAVA_BYTE, i)).as("no copy").isZero();
    }
    PinDownCache pinned = ((RdmaSession) session).connection().pinned();
    assertThat(pinned.registrations()).isEqualTo(1);
    assertThat(pinned.pinnedBytes()).isEqualTo(buffer.capacity());
  }

  @Test
  void pinnedBytesStayBounded() throws Exception {
    Session session = connect();
    Joined j = join(session, 0);
    PinDownCache pinned = ((RdmaSession) session).connection().pinned();
    for (int n = 0; n < 12; n++) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(8 << 20);
      await().until(() -> j.link().pushFrom(buffer, 0, 0, (int) j.link().sendRing().byteSize()));
      j.link().awaitTaken();
      assertThat(pinned.pinnedBytes()).isLessThanOrEqualTo(64 << 20);
    }
    assertThat(pinned.registrations()).isEqualTo(12);
    assertThat(pinned.batches()).isPositive();
  }
}
