package org.slipstream.core.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slipstream.core.api.Counter;
import org.slipstream.transport.Link;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

class SessionJournalTest {
  private long now;
  private final SessionJournal journal =
      new SessionJournal(() -> TimeUnit.SECONDS.toNanos(now), session -> 3);

  /** A session that says of itself what a test puts in. */
  private static final class Said implements Session {
    final Map<String, Object> members = new HashMap<>();
    private final ProcessId peer = ProcessId.random();

    @Override
    public ProcessId peer() {
      return peer;
    }

    @Override
    public String transportName() {
      return "rdma";
    }

    @Override
    public Map<String, Object> describe() {
      return new HashMap<>(members);
    }

    @Override
    public void send(ByteBuffer frame) {
      throw new AssertionError("it only describes itself");
    }

    @Override
    public Window allocateWindow() {
      throw new AssertionError("it only describes itself");
    }

    @Override
    public Link join(Window own, ByteBuffer peerDescriptor) {
      throw new AssertionError("it only describes itself");
    }

    @Override
    public void abort(String cause) {}

    @Override
    public boolean isOpen() {
      return true;
    }
  }

  private static Said session(long pinned, long completions) {
    Said session = new Said();
    session.members.put("device", "mlx5_0/1");
    session.members.put("pinnedBytes", pinned);
    session.members.put("completions", completions);
    return session;
  }

  @Test
  void aSessionHasItsLossesAndReturnsAlsoWhenItHasEnded() {
    Said first = session(100, 5);
    journal.opened(first);
    now = 10;
    assertThat(journal.rows())
        .singleElement()
        .satisfies(row ->
            assertThat(row)
                .containsEntry("state", "open")
                .containsEntry("device", "mlx5_0/1")
                .containsEntry("seconds", 10L)
                .containsEntry("streams", 3L)
                .containsEntry("linksLost", 0L)
                .containsEntry("linksReturned", 0L));
    journal.lostStream(first);
    journal.lostStream(first);
    journal.ended(first, "the link is down");
    Said second = session(100, 7);
    journal.opened(second);
    journal.returned(second);
    now = 12;
    List<Map<String, Object>> rows = journal.rows();
    assertThat(rows).hasSize(2);
    assertThat(rows.getFirst()).containsEntry("linksReturned", 1L).containsEntry("state", "open");
    assertThat(rows.getLast())
        .containsEntry("linksLost", 2L)
        .containsEntry("cause", "the link is down")
        .containsEntry("seconds", 2L);
  }

  @Test
  void sumsOfTheProcessKeepWhatEndedSessionsCountedAndNotWhatTheyHeld() {
    Said first = session(100, 5);
    Said second = session(40, 7);
    journal.opened(first);
    journal.opened(second);
    assertThat(journal.sums())
        .containsEntry(Counter.SESSIONS_OPEN, 2L)
        .containsEntry(Counter.PINNED_BYTES, 140L)
        .containsEntry(Counter.COMPLETIONS, 12L);
    journal.ended(first, "the peer process ended");
    assertThat(journal.sums())
        .containsEntry(Counter.SESSIONS_OPEN, 1L)
        .containsEntry(Counter.PINNED_BYTES, 40L)
        .containsEntry(Counter.COMPLETIONS, 12L);
  }

  @Test
  void aPeerThatRefusesIsOneRowWithItsCauseAndOnlyTheLastOnesStay() {
    journal.refused("rdma", new InetSocketAddress("10.0.0.1", 7000), "no memory there");
    journal.refused("rdma", new InetSocketAddress("10.0.0.1", 7000), "another key");
    now = 4;
    assertThat(journal.rows())
        .singleElement()
        .satisfies(row ->
            assertThat(row)
                .containsEntry("state", "refused")
                .containsEntry("transport", "rdma")
                .containsEntry("address", "10.0.0.1:7000")
                .containsEntry("times", 2L)
                .containsEntry("seconds", 4L)
                .containsEntry("cause", "another key"));
    for (int port = 1; port <= 20; port++) {
      journal.refused("rdma", new InetSocketAddress("10.0.0.2", port), "busy");
    }
    assertThat(journal.rows())
        .hasSize(8)
        .allMatch(row -> row.get("address").toString().startsWith("10.0.0.2"));
  }
}
