package org.slipstream.core.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slipstream.core.api.Counter;
import org.slipstream.core.stream.InterruptScope;
import org.slipstream.core.stream.LateControlBytes;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamHost;
import org.slipstream.core.stream.Total;
import org.slipstream.core.stream.Total.Way;
import org.slipstream.core.wait.LoadSensor;

/**
 * The sums over all streams never go back, whichever thread closes streams while another reads
 * them.
 */
class StreamJournalTest {
  private static final int BYTES = 1000;
  private static final int ROUNDS = 300;

  /** What must never fall; gauges may. */
  private static final List<Total> SUMS =
      Total.ALL.stream().filter(total -> !total.counter().isGauge()).toList();

  private final Set<Stream> open = ConcurrentHashMap.newKeySet();

  /** A process that has nothing but a journal. */
  private static final class Host implements StreamHost, InterruptScope {
    private final LoadSensor sensor = new LoadSensor(1);
    private final Collection<Stream> streams;
    private final StreamJournal journal;

    Host(Collection<Stream> streams) {
      this.streams = streams;
      this.journal = new StreamJournal(streams, new SessionJournal(() -> 0, session -> 0), 0);
    }

    Stream stream(SocketChannel channel, boolean client) {
      Stream stream = new Stream(channel, client, this, this);
      journal.opened(stream);
      streams.add(stream);
      return stream;
    }

    @Override
    public LoadSensor loadSensor() {
      return sensor;
    }

    @Override
    public int maxSpinNanos() {
      return 0;
    }

    @Override
    public void eligible(Stream stream) {}

    @Override
    public void closed(Stream stream) {
      assertThat(journal.closed(stream)).isTrue();
      assertThat(journal.closed(stream)).as("once more").isFalse();
    }

    @Override
    public void linger(SocketChannel tcp, @Nullable ByteBuffer unsent, LateControlBytes late) {
      throw new AssertionError("there are no links");
    }

    @Override
    public void begin() {}

    @Override
    public void end(boolean completed) {}

    @Override
    public boolean mustNotBlock() {
      return false;
    }
  }

  /** Opens a connection, moves bytes over it, and returns both ends. */
  private static List<Stream> used(Host host) throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Stream client = host.stream(SocketChannel.open(listener.getLocalAddress()), true);
      Stream server = host.stream(listener.accept(), false);
      client.write(ByteBuffer.allocate(BYTES), true);
      ByteBuffer in = ByteBuffer.allocate(BYTES);
      while (in.hasRemaining()) {
        server.read(in, true, 0);
      }
      return List.of(client, server);
    }
  }

  @Test
  void whatClosedStreamsHaveMovedStaysInTheSums() throws Exception {
    Host host = new Host(open);
    List<Stream> streams = used(host);
    ProcessCounters before = host.journal.counters();
    assertThat(before.get(Counter.PLAIN_BYTES, Way.OUT)).isEqualTo(BYTES);
    assertThat(before.get(Counter.PLAIN_BYTES, Way.IN)).isEqualTo(BYTES);
    assertThat(before.get(Counter.MESSAGES, Way.OUT)).isPositive();
    assertThat(before.get(Counter.MESSAGES, Way.IN)).isPositive();
    assertThat(before.get(Counter.STREAMS_OPEN)).isEqualTo(2);
    for (Stream stream : streams) {
      stream.close(true);
    }
    assertThat(open).isEmpty();
    ProcessCounters after = host.journal.counters();
    for (Total sum : SUMS) {
      assertThat(after.get(sum)).isEqualTo(before.get(sum));
    }
    assertThat(after.get(Counter.STREAMS_OPEN)).isZero();
  }

  /** Asks for the sums at the worst moment: when a stream is not open any more. */
  private static final class Asking extends AbstractCollection<Stream> {
    private final Set<Stream> streams = ConcurrentHashMap.newKeySet();
    private final List<FutureTask<Long>> answers = new ArrayList<>();
    private @Nullable Host host;

    @Override
    public boolean add(Stream stream) {
      return streams.add(stream);
    }

    @Override
    public boolean remove(@Nullable Object stream) {
      boolean removed = streams.remove(stream);
      Host asked = host;
      if (asked != null && removed) {
        FutureTask<Long> answer =
            new FutureTask<>(() -> asked.journal.counters().get(Counter.PLAIN_BYTES, Way.OUT));
        answers.add(answer);
        Thread.ofPlatform().daemon().start(answer);
        try {
          answer.get(
              100, TimeUnit.MILLISECONDS); // time for a wrong answer; a right one has to wait
        } catch (TimeoutException e) {
          return true;
        } catch (Exception e) {
          throw new AssertionError(e);
        }
      }
      return removed;
    }

    @Override
    public Iterator<Stream> iterator() {
      return streams.iterator();
    }

    @Override
    public int size() {
      return streams.size();
    }
  }

  @Test
  void noStreamIsMissingInTheMomentInWhichItIsClosed() throws Exception {
    Asking asking = new Asking();
    Host host = new Host(asking);
    List<Stream> streams = used(host);
    asking.host = host;
    for (Stream stream : streams) {
      stream.close(true);
    }
    assertThat(asking.answers).hasSize(2);
    for (FutureTask<Long> answer : asking.answers) {
      assertThat(answer.get()).isEqualTo(BYTES);
    }
  }

  @Test
  void theSumsNeverGoBackWhileStreamsComeAndGo() throws Exception {
    Host host = new Host(open);
    AtomicBoolean done = new AtomicBoolean();
    FutureTask<Long> sampling =
        new FutureTask<>(() -> {
          ProcessCounters last = host.journal.counters();
          long different = 0;
          while (!done.get()) {
            ProcessCounters next = host.journal.counters();
            for (Total sum : SUMS) {
              assertThat(next.get(sum)).isGreaterThanOrEqualTo(last.get(sum));
            }
            assertThat(next.get(Counter.STREAMS_OPEN))
                .isLessThanOrEqualTo(next.get(Counter.STREAMS_OPENED));
            different += next.equals(last) ? 0 : 1;
            last = next;
          }
          return different;
        });
    Thread.ofPlatform().daemon().start(sampling);
    for (int i = 0; i < ROUNDS; i++) {
      for (Stream stream : used(host)) {
        stream.close(true);
      }
    }
    done.set(true);
    assertThat(sampling.get()).as("samples that differ from the one before").isPositive();
    ProcessCounters all = host.journal.counters();
    assertThat(all.get(Counter.PLAIN_BYTES, Way.OUT)).isEqualTo((long) ROUNDS * BYTES);
    assertThat(all.get(Counter.PLAIN_BYTES, Way.IN)).isEqualTo((long) ROUNDS * BYTES);
    assertThat(all.get(Counter.STREAMS_OPENED)).isEqualTo(2L * ROUNDS);
    assertThat(all.get(Counter.STREAMS_OPEN)).isZero();
  }
}
