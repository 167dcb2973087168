package org.slipstream.core.doorbell;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.core.identity.ConnectionName;
import org.slipstream.core.identity.FirstSegments;
import org.slipstream.core.identity.SegmentHead;
import org.slipstream.core.stream.RawWriteProbe;
import org.slipstream.transport.Reactor;

/** Names of real connections, of both families: each end has the same, and no other has it. */
class FirstSegmentsTest {
  private static final int CONNECTIONS = 30;

  /** Runs what it is given at once: nothing is late on the loopback device. */
  private static final Reactor AT_ONCE =
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
          throw new AssertionError("a copy is late");
        }

        @Override
        public boolean inReactor() {
          return true;
        }
      };

  private final FirstSegments segments = new FirstSegments(new ReflectedDescriptors(), AT_ONCE);

  private record Ends(SocketChannel client, ConnectionName name, SegmentHead first)
      implements AutoCloseable {
    @Override
    public void close() throws Exception {
      client.close();
    }
  }

  /** A connection whose client has written twice; its other end is closed. */
  private Ends connection(ServerSocketChannel listener) throws Exception {
    long before = System.nanoTime();
    SocketChannel client = SocketChannel.open(listener.getLocalAddress());
    try (SocketChannel server = listener.accept()) {
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
      return new Ends(client, told.getFirst(), first);
    }
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

  @Test
  void withoutTheAgentNoneHasAName() {
    assertThat(new FirstSegments(null, AT_ONCE).areKnown()).isFalse();
    assertThat(new FirstSegments(null, AT_ONCE).probe(0, name -> {})).isNull();
  }
}
