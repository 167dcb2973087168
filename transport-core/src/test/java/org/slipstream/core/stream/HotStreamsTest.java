package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which streams an event loop goes on looking at; the test is the loop and the peers. */
class HotStreamsTest {
  private final HotStreams<Bench> hot = new HotStreams<>();
  private final List<Bench> benches = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (Bench bench : benches) {
      bench.close();
    }
  }

  private StreamWatch<Bench> onRing() throws Exception {
    Bench bench = Bench.server().nonBlocking().attached();
    benches.add(bench);
    bench.peerSwitchesAt(0);
    bench.ring("x");
    assertThat(bench.readFully(1)).isEqualTo("x");
    StreamWatch<Bench> watch = new StreamWatch<>(bench.stream, bench);
    watch.interest(SelectionKey.OP_READ);
    hot.add(watch);
    return watch;
  }

  /** A round of a busy loop: somebody else was ready. */
  private void round() {
    for (int i = 0; i < hot.size(); i++) {
      StreamWatch<Bench> watch = hot.get(i);
      hot.looked(watch, watch.ready(0) != 0);
    }
    hot.coolIdle();
  }

  @Test
  void aStreamThatFellSilentBecomesCold() throws Exception {
    StreamWatch<Bench> watch = onRing();
    for (int i = 0; i < HotStreams.patience(1); i++) {
      round();
      assertThat(hot.size()).isEqualTo(1);
    }
    round();
    assertThat(hot.isEmpty()).isTrue();
    watch.attachment().ring("y");
    assertThat(watch.attachment().rung).as("armed when it became cold").hasValue(1);
  }

  @Test
  void theBusyOnesStayHotWhereverTheyAreInTheList() throws Exception {
    List<StreamWatch<Bench>> all = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      all.add(onRing());
    }
    StreamWatch<Bench> busy = all.get(2);
    busy.attachment().ring("unread");
    for (int i = 0; i <= HotStreams.patience(all.size()); i++) {
      round();
    }
    assertThat(hot.size()).isEqualTo(1);
    assertThat(hot.get(0)).isSameAs(busy);
  }

  @Test
  void theMoreThereAreTheSoonerASilentOneBecomesCold() {
    assertThat(HotStreams.patience(1)).isEqualTo(256);
    assertThat(HotStreams.patience(10)).isEqualTo(256);
    for (int hot = 1; hot < 20_000; hot++) {
      assertThat((long) HotStreams.patience(hot) * hot).isLessThanOrEqualTo(4_096);
      assertThat(HotStreams.patience(hot)).isLessThanOrEqualTo(HotStreams.patience(hot - 1));
    }
    assertThat(HotStreams.patience(10_000)).isZero();
  }

  @Test
  void aCrowdIsNotSpunOver() throws Exception {
    onRing();
    assertThat(hot.worthSpinning()).isTrue();
    assertThat(HotStreams.fewEnoughToSpin(1_000)).isTrue();
    assertThat(HotStreams.fewEnoughToSpin(10_000)).isFalse();
  }
}
