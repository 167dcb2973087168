package org.slipstream.core.doorbell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.core.identity.ConnectionName;
import org.slipstream.core.identity.FirstSegments;
import org.slipstream.core.identity.SegmentCopies;
import org.slipstream.core.identity.SegmentHead;
import org.slipstream.core.stream.RawWriteProbe;
import org.slipstream.transport.Reactor;

/** Names of real connections, of both families: each end has the same, and no other has it. */
class FirstSegmentsTest {
  private static final int CONNECTIONS = 30;

  /** Has been given to the reactor, for later. */
  private final Deque<Runnable> scheduled = new ArrayDeque<>();

  /** Runs what it is given at once, and what is for later when the test says so. */
  private final Reactor reactor =
      new Reactor() {
        @Override
        public SelectionKey register(SelectableChannel channel, int ops, Handler handler) {
          throw new UnsupportedOperationException();
        }

        @Override
        public void execute(Runnable task) {
          task.run();
        }

        @Override
        public void schedule(long delayNanos, Runnable task) {
          scheduled.add(task);
        }

        @Override
        public boolean inReactor() {
          return true;
        }
      };

  private final FirstSegments segments = new FirstSegments(new ReflectedDescriptors(), reactor);

  private record Ends(
      SocketChannel client, SocketChannel server, ConnectionName name, SegmentHead first)
      implements AutoCloseable {
    @Override
    public void close() throws Exception {
      client.close();
      server.close();
    }
  }

  /** A connection whose client has written twice; its other end reads nothing. */
  private Ends connection(ServerSocketChannel listener) throws Exception {
    long before = System.nanoTime();
    SocketChannel client = SocketChannel.open(listener.getLocalAddress());
    SocketChannel server = listener.accept();
    client.write(ByteBuffer.allocate(777));
    List<ConnectionName> told = new ArrayList<>();
    RawWriteProbe probe = segments.probe(before, told::add);
    assertThat(probe).isNotNull();
    for (long total = 777; told.isEmpty(); total += 5) {
      boolean after = probe.before(client, 5);
      client.write(ByteBuffer.allocate(5));
      if (after) {
        probe.after(total + 5);
      }
    }
    assertThat(probe.before(client, 5)).as("it is told once").isFalse();
    try (Selector selector = Selector.open()) {
      client.configureBlocking(false).register(selector, SelectionKey.OP_READ);
      assertThat(selector.selectNow()).as("nothing is left to hear of").isZero();
    }
    SegmentHead first = segments.firstSegment(server);
    assertThat(first).isNotNull();
    assertThat(segments.firstSegment(server)).as("the kernel gives it once").isNull();
    return new Ends(client, server, told.getFirst(), first);
  }

  private void eachHasItsOwn(String address) throws Exception {
    List<Ends> all = new ArrayList<>();
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
      segments.keep(listener);
      for (int i = 0; i < CONNECTIONS; i++) {
        all.add(connection(listener));
      }
      for (Ends one : all) {
        for (Ends other : all) {
          assertThat(one.name.is(other.first.sequence(), other.first.clock()))
              .isEqualTo(one.equals(other));
        }
      }
    } finally {
      for (Ends ends : all) {
        ends.close();
      }
    }
  }

  @Test
  void eachConnectionHasAName() throws Exception {
    eachHasItsOwn("127.0.0.1");
  }

  @Test
  void alsoOfTheSixthVersion() throws Exception {
    eachHasItsOwn("::1");
  }

  /**
   * A device with a queue, a device that stands for another one, and a retransmission leave copies
   * after the write: until they are taken, a selector does not sleep.
   */
  @Test
  void copiesThatComeLaterAreTakenToo() throws Exception {
    try (ServerSocketChannel listener = ServerSocketChannel.open();
        Selector selector = Selector.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      segments.keep(listener);
      try (Ends ends = connection(listener)) {
        SocketChannel client = ends.client;
        client.register(selector, SelectionKey.OP_READ);
        int descriptor = new ReflectedDescriptors().number(client);
        for (int copies = 0; copies < 20; copies++) {
          SegmentCopies.show(descriptor, true);
          client.write(ByteBuffer.allocate(1));
          SegmentCopies.show(descriptor, false);
        }
        assertThat(selector.selectNow()).as("copies are there").isOne();
        selector.selectedKeys().clear();
        assertThat(scheduled).hasSize(1);
        await()
            .until(() -> {
              scheduled.removeFirst().run();
              return scheduled.isEmpty();
            });
        assertThat(selector.selectNow()).as("nothing is left to hear of").isZero();
      }
    }
  }

  @Test
  void aClosedConnectionIsNotLookedAt() throws Exception {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      segments.keep(listener);
      connection(listener).close();
    }
    scheduled.removeFirst().run();
    assertThat(scheduled).isEmpty();
  }

  @Test
  void withoutTheAgentNoneHasAName() {
    assertThat(new FirstSegments(null, reactor).areKnown()).isFalse();
    assertThat(new FirstSegments(null, reactor).probe(0, name -> {})).isNull();
  }
}
