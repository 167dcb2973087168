package org.slipstream.testkit.conformance;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;

/** What a selection returns, how long it takes, and what it leaves in the selected-key set. */
public abstract class SelectContract extends NioContract {

  private static final long LONG_MILLIS = Patience.DEADLINE.toMillis();

  /** Nothing is opened yet. */
  protected SelectContract() {}

  @Test
  void selectNowDoesNotWait() throws Exception {
    Selector selector = net().selector();
    net().settledNonBlockingPair().client().register(selector, OP_READ);

    assertThat(millisOf(() -> assertThat(selector.selectNow()).isZero())).isLessThan(LONG_MILLIS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSelectionWithATimeoutWaitsForItAndReturnsZero(boolean withKey) throws Exception {
    Selector selector = net().selector();
    if (withKey) {
      net().settledNonBlockingPair().client().register(selector, OP_READ);
    }

    assertThat(millisOf(() -> assertThat(selector.select(150)).isZero()))
        .isBetween(145L, LONG_MILLIS);
    assertThat(selector.selectedKeys()).isEmpty();
  }

  @Test
  void aNegativeTimeoutIsRefused() throws Exception {
    Selector selector = net().selector();

    assertThatIllegalArgumentException().isThrownBy(() -> selector.select(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> selector.select(key -> {}, -1));
  }

  @Test
  void aReadyKeyIsSelectedAndStaysSoUntilTheProgramTakesItOut() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey key = pair.client().register(selector, OP_READ);
    Bytes.write(pair.server(), "x");

    assertThat(selector.select(LONG_MILLIS)).isEqualTo(1);
    assertThat(selector.selectedKeys()).containsExactly(key);
    assertThat(key.isReadable()).isTrue();
    assertThat(key.isWritable()).isFalse();
    assertThat(key.readyOps()).isEqualTo(OP_READ);

    assertThat(
            millisOf(
                () -> assertThat(selector.select(LONG_MILLIS)).as("nothing has changed").isZero()))
        .as("but there is nothing to wait for")
        .isLessThan(LONG_MILLIS / 2);
    assertThat(selector.selectedKeys()).containsExactly(key);

    selector.selectedKeys().clear();
    assertThat(selector.select(LONG_MILLIS)).as("still readable").isEqualTo(1);
    Bytes.read(pair.client(), 1);
    selector.selectedKeys().clear();
    assertThat(selector.selectNow()).as("drained").isZero();
    assertThat(selector.selectedKeys()).isEmpty();
  }

  @Test
  void theResultCountsTheKeysWhoseReadySetChanged() throws Exception {
    Selector selector = net().selector();
    Pair one = net().settledNonBlockingPair();
    Pair two = net().settledNonBlockingPair();
    one.client().register(selector, OP_READ);
    two.client().register(selector, OP_READ);

    Bytes.write(one.server(), "1");
    assertThat(selector.select(LONG_MILLIS)).isEqualTo(1);
    Bytes.write(two.server(), "2");
    assertThat(selectUntil(selector, 2)).as("only the second one is new").isEqualTo(1);
    selector.selectedKeys().clear();
    assertThat(selector.select(LONG_MILLIS)).isEqualTo(2);
    assertThat(selector.selectedKeys()).hasSize(2);
  }

  @Test
  void aKeyThatIsReadyAndSelectedAlreadyEndsASelection() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    pair.client().register(selector, OP_READ);
    Bytes.write(pair.server(), "1");
    assertThat(selector.select(LONG_MILLIS)).isEqualTo(1);
    assertThat(
            millisOf(() -> assertThat(selector.select(LONG_MILLIS)).as("nothing is new").isZero()))
        .isLessThan(LONG_MILLIS);
  }

  @Test
  void aKeyThatStaysReadyHidesNoOther() throws Exception {
    Selector selector = net().selector();
    Pair one = net().settledNonBlockingPair();
    Pair two = net().settledNonBlockingPair();
    one.client().register(selector, OP_READ);
    two.client().register(selector, OP_READ);
    assertThat(selector.select(A_WHILE.toMillis())).as("both are asleep").isZero();
    Bytes.write(one.server(), "1");
    assertThat(selector.select(LONG_MILLIS)).isEqualTo(1);
    Bytes.write(two.server(), "2");
    assertThat(selectUntil(selector, 2)).isEqualTo(1);
  }

  @Test
  void aKeyThatIsReadyAtEverySelectionDelaysNoOther() throws Exception {
    Selector selector = net().selector();
    Pair always = net().settledNonBlockingPair();
    always.client().register(selector, OP_READ);
    Pipe pipe = carrier().provider().openPipe();
    Pipe.SinkChannel sink = net().closing(pipe.sink());
    Pipe.SourceChannel source = net().closing(pipe.source());
    source.configureBlocking(false);
    SelectionKey other = source.register(selector, OP_READ);
    Bytes.write(always.server(), "never read");
    ByteBuffer one = ByteBuffer.allocate(1);
    for (int i = 0; i < 20; i++) {
      assertThat(selector.select(LONG_MILLIS)).isEqualTo(1);
      assertThat(selector.selectedKeys()).doesNotContain(other);
      selector.selectedKeys().clear();
      Thread.sleep(1); // what a program does with what is ready takes its time

      sink.write(one.clear());

      assertThat(selector.select(LONG_MILLIS)).as("round %s", i).isEqualTo(2);
      assertThat(selector.selectedKeys()).contains(other);
      selector.selectedKeys().clear();
      source.read(one.clear());
      Thread.sleep(1);
    }
  }

  @Test
  void theReadySetOfASelectedKeyGrows() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey key = pair.client().register(selector, OP_READ);
    Bytes.write(pair.server(), "x");
    assertThat(selector.select(LONG_MILLIS)).isEqualTo(1);

    key.interestOps(OP_READ | OP_WRITE);

    assertThat(selector.select(LONG_MILLIS)).isEqualTo(1);
    assertThat(key.readyOps()).isEqualTo(OP_READ | OP_WRITE);
  }

  @Test
  void theReadySetOfASelectedKeyKeepsWhatIsNoLongerTrue() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey key = pair.client().register(selector, OP_READ);
    Bytes.write(pair.server(), "x");
    assertThat(selector.select(LONG_MILLIS)).isEqualTo(1);
    Bytes.read(pair.client(), 1);

    key.interestOps(OP_WRITE);

    assertThat(selector.select(LONG_MILLIS)).isEqualTo(1);
    assertThat(key.readyOps()).isEqualTo(OP_READ | OP_WRITE);
  }

  @Test
  void theReadySetOfAKeyThatWasTakenOutIsNew() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey key = pair.client().register(selector, OP_READ);
    Bytes.write(pair.server(), "x");
    assertThat(selector.select(LONG_MILLIS)).isEqualTo(1);
    Bytes.read(pair.client(), 1);
    selector.selectedKeys().clear();

    key.interestOps(OP_WRITE);

    assertThat(selector.select(LONG_MILLIS)).isEqualTo(1);
    assertThat(key.readyOps()).isEqualTo(OP_WRITE);
  }

  @Test
  void aKeyWithoutInterestIsNeverSelected() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey key = pair.client().register(selector, 0);
    Bytes.write(pair.server(), "x");

    assertThat(selector.select(100)).isZero();
    key.interestOps(OP_READ);
    assertThat(selector.select(LONG_MILLIS)).isEqualTo(1);
    selector.selectedKeys().clear();
    key.interestOps(0);
    assertThat(selector.select(100)).isZero();
  }

  @Test
  void aWakeupBeforeTheSelectionMakesOneSelectionReturnAtOnce() throws Exception {
    Selector selector = net().selector();

    assertThat(selector.wakeup()).isSameAs(selector);
    selector.wakeup();

    assertThat(millisOf(() -> assertThat(selector.select()).isZero())).isLessThan(LONG_MILLIS);
    assertThat(millisOf(() -> assertThat(selector.select(100)).isZero())).isGreaterThan(90);
  }

  @Test
  void selectNowTakesAwayAPendingWakeup() throws Exception {
    Selector selector = net().selector();
    selector.wakeup();

    assertThat(selector.selectNow()).isZero();

    assertThat(millisOf(() -> assertThat(selector.select(100)).isZero())).isGreaterThan(90);
  }

  @Test
  void aWakeupDoesNotHideReadyKeys() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    pair.client().register(selector, OP_WRITE);

    selector.wakeup();

    assertThat(selector.select()).isEqualTo(1);
  }

  @Test
  void aClosedSelectorOnlySaysThatItIsClosed() throws Exception {
    Selector selector = net().selector();
    assertThat(selector.isOpen()).isTrue();
    selector.close();
    selector.close();

    assertThat(selector.isOpen()).isFalse();
    assertThat(selector.wakeup()).isSameAs(selector);
    for (ThrowingCallable call :
        new ThrowingCallable[] {
          selector::select,
          selector::selectNow,
          () -> selector.select(1),
          () -> selector.select(key -> {}),
          () -> selector.select(key -> {}, 1),
          () -> selector.selectNow(key -> {}),
          selector::keys,
          selector::selectedKeys
        }) {
      assertThatExceptionOfType(ClosedSelectorException.class).isThrownBy(call);
    }
  }

  private static int selectUntil(Selector selector, int selected) throws IOException {
    int sum = 0;
    long deadline = System.nanoTime() + Duration.ofMillis(LONG_MILLIS).toNanos();
    while (selector.selectedKeys().size() < selected && System.nanoTime() < deadline) {
      sum += selector.select(LONG_MILLIS);
    }
    return sum;
  }

  private static long millisOf(ThrowingCallable call) throws Exception {
    long start = System.nanoTime();
    try {
      call.call();
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
    return (System.nanoTime() - start) / 1_000_000;
  }
}
