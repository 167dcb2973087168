package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.core.ring.HeapLink;
import org.slipstream.core.stream.FakeSession;
import org.slipstream.core.stream.Reason;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.transport.Reactor;

class LostStreamsTest {
  private static final long MS = 1_000_000;

  private final Clock clock = new Clock();
  private final LinkTable table = new LinkTable(clock, stream -> {});
  private final FakeProcess process = new FakeProcess();
  private final List<Stream> nudged = new ArrayList<>();

  /** When which stream was offered, in milliseconds. */
  private final List<Long> offers = new ArrayList<>();

  private final List<Stream> offered = new ArrayList<>();
  private final LostStreams lost =
      new LostStreams(
          clock,
          nudged::add,
          stream -> {
            offers.add(clock.now / MS);
            offered.add(stream);
          });

  /** A reactor whose time passes when the test says so. */
  private static final class Clock implements Reactor {
    private record Task(long due, Runnable work) {}

    private final PriorityQueue<Task> tasks =
        new PriorityQueue<>(Comparator.comparingLong(Task::due));
    private long now;

    void passes(long millis) {
      long end = now + millis * MS;
      while (!tasks.isEmpty() && tasks.peek().due <= end) {
        Task next = tasks.poll();
        now = next.due;
        next.work.run();
      }
      now = end;
    }

    @Override
    public SelectionKey register(SelectableChannel channel, int ops, Handler handler) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void execute(Runnable task) {
      schedule(0, task);
    }

    @Override
    public void schedule(long delayNanos, Runnable task) {
      tasks.add(new Task(now + delayNanos, task));
    }

    @Override
    public boolean inReactor() {
      return true;
    }
  }

  @AfterEach
  void close() throws Exception {
    process.close();
  }

  private StreamLink join(Stream stream) {
    HeapLink.Pair heap = HeapLink.pair(4096, 4096);
    StreamLink link =
        new StreamLink(
            new FakeSession("peer"),
            table.newId(),
            1,
            heap.a().window(),
            heap.a(),
            new byte[16],
            table);
    assertThat(stream.attach(link)).isTrue();
    return link;
  }

  private Stream lose(Stream stream) {
    join(stream).markDead();
    lost.add(stream);
    return stream;
  }

  @Test
  void aLostStreamIsOfferedLessAndLessOften() throws Exception {
    Stream stream = lose(process.connection().client());
    assertThat(nudged).as("it goes home at once").containsExactly(stream);
    clock.passes(30_000);
    assertThat(offers)
        .containsExactly(
            20L, 60L, 140L, 300L, 620L, 1260L, 2540L, 5100L, 10_100L, 15_100L, 20_100L, 25_100L);
  }

  @Test
  void aStreamWhoseOfferWasLostIsOfferedUntilItHasAnAnswer() throws Exception {
    Stream stream = process.connection().client();
    stream.stayPlain(Reason.LINK_LOST);
    lost.retry(stream);
    clock.passes(30);
    stream.stayPlain(Reason.OFFERED);
    clock.passes(70);
    stream.stayPlain(Reason.PEER_NOT_ACCELERATED); // the way to it may be back later
    clock.passes(100);
    assertThat(offers).containsExactly(20L, 60L, 140L);
    stream.stayPlain(Reason.REFUSED);
    clock.passes(30_000);
    assertThat(offers).hasSize(3);
    assertThat(lost.size()).isZero();
  }

  @Test
  void theEndThatAcceptedOnlyGoesHome() throws Exception {
    Stream stream = lose(process.connection().server());
    clock.passes(30_000);
    assertThat(nudged).containsExactly(stream);
    assertThat(offers).isEmpty();
    assertThat(lost.size()).isZero();
  }

  @Test
  void nobodyWaitsForTheClockOfAnother() throws Exception {
    lose(process.connection().client());
    clock.passes(30_000);
    offered.clear();
    Stream second = lose(process.connection().client());
    clock.passes(140);
    assertThat(offered.stream().filter(second::equals)).hasSize(3);
  }

  @Test
  void aNewLinkEndsIt() throws Exception {
    Stream stream = lose(process.connection().client());
    clock.passes(70);
    join(stream);
    clock.passes(30_000);
    assertThat(offers).containsExactly(20L, 60L);
    assertThat(lost.size()).isZero();
  }

  @Test
  void anotherLossIsNewsAndOnlyOneClockRuns() throws Exception {
    Stream stream = lose(process.connection().client());
    clock.passes(1000);
    offers.clear();
    lose(stream);
    clock.passes(300);
    assertThat(offers).containsExactly(1020L, 1060L, 1140L, 1300L);
  }

  @Test
  void aClosedStreamIsForgotten() throws Exception {
    Stream stream = lose(process.connection().client());
    stream.close(false);
    clock.passes(30_000);
    assertThat(offers).isEmpty();
    assertThat(lost.size()).isZero();
  }

  @Test
  void whatThePeerHasClosedIsForgotten() throws Exception {
    Stream stream = process.connection().client();
    StreamLink link = join(stream);
    link.markDead();
    lost.add(stream);
    link.markPeerClosed();
    clock.passes(30_000);
    assertThat(offers).isEmpty();
    assertThat(lost.size()).isZero();
  }
}
