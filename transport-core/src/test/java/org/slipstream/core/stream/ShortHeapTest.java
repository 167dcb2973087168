package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a read or a write has moved stays moved, whatever there is no memory for behind it. */
class ShortHeapTest {
  private Bench bench;

  @AfterEach
  void close() throws Exception {
    bench.close();
  }

  @Test
  void bytesAreReadThoughThereIsNoMemoryForAnOffer() throws Exception {
    bench = Bench.client();
    bench.shortages.set(1);
    bench.write("a", true);
    bench.wire("b");
    assertThat(bench.read(10, true)).isEqualTo("b");
    assertThat(bench.eligible).isEmpty();
    bench.write("c", true);
    bench.write("d", true);
    assertThat(bench.eligible).as("offered later").containsExactly(bench.stream);
  }

  /** A read either moves bytes or fails: those that follow find everything. */
  @Test
  void noByteIsLostThoughThereIsNoMemoryForTheSwitch() throws Exception {
    bench = Bench.server().attached();
    bench.shortages.set(1);
    bench.wire("abc");
    bench.peerSwitchesAt(3);
    bench.toRing("def");
    StringBuilder all = new StringBuilder();
    while (all.length() < 6) {
      try {
        all.append(bench.read(6, false));
      } catch (OutOfMemoryError e) {
        assertThat(bench.shortages).hasValue(0);
      }
    }
    assertThat(all).hasToString("abcdef");
    bench.write("x", true);
    assertThat(bench.stream.status().out().onRing()).as("the peer is proven").isTrue();
  }

  @Test
  void aWriterThatWaitsForCreditHearsOfItAsSoonAsThereIsMemory() throws Exception {
    bench = Bench.server().attached();
    bench.peerSwitchesAt(0);
    StringBuilder sent = new StringBuilder();
    while (bench.peer.producer().credit().space(1) > 0) {
      bench.toRing("x");
      sent.append('x');
    }
    bench.peer.producer().credit().request();
    String first = bench.readFully(1);
    bench.shortages.set(2);
    assertThat(first + bench.readFully(sent.length() - 1)).isEqualTo(sent.toString());
    assertThat(bench.creditNotices).hasValue(1);
  }
}
