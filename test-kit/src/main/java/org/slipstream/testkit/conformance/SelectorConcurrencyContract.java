package org.slipstream.testkit.conformance;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.ThreadKind;

/** What other threads may do to a selector, and to its channels, while it sleeps. */
public abstract class SelectorConcurrencyContract extends NioContract {

  /** Nothing is opened yet. */
  protected SelectorConcurrencyContract() {}

  @ParameterizedTest
  @EnumSource
  void aWakeupEndsASelectionInProgress(ThreadKind kind) throws Exception {
    Selector selector = net().selector();
    net().settledNonBlockingPair().client().register(selector, OP_READ);

    for (int i = 0; i < 3; i++) {
      Background<Integer> select = Background.call(kind, () -> selector.select()).awaitBlocked();
      selector.wakeup();
      assertThat(select.result()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void dataEndsASelectionInProgress(ThreadKind kind) throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    pair.client().register(selector, OP_READ);

    for (int i = 0; i < 3; i++) {
      Background<Integer> select = Background.call(kind, () -> selector.select()).awaitBlocked();
      Bytes.write(pair.server(), "x");
      assertThat(select.result()).isEqualTo(1);
      selector.selectedKeys().clear();
      Bytes.read(pair.client(), 1);
    }
  }

  @Test
  void theEndOfAStreamEndsASelectionInProgress() throws Exception {
    Selector selector = net().selector();
    Pair ending = net().settledNonBlockingPair();
    ending.client().register(selector, OP_READ);
    Background<Integer> select = Background.call(() -> selector.select()).awaitBlocked();
    ending.server().close();
    assertThat(select.result()).isEqualTo(1);
    ending.client().close();

    Pair resetting = net().settledNonBlockingPair();
    resetting.client().register(selector, OP_READ);
    Background<Integer> second = Background.call(() -> selector.select()).awaitBlocked();
    Pair.reset(resetting.server());
    assertThat(second.result()).isEqualTo(1);
  }

  @Test
  void closingASelectorEndsItsSelectionAndFreesItsChannels() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey key = pair.client().register(selector, OP_READ);
    Background<Integer> select = Background.call(() -> selector.select()).awaitBlocked();

    Background<@Nullable Void> close = Background.run(selector::close);

    assertThat(select.result()).isZero();
    close.result();
    assertThat(key.isValid()).isFalse();
    assertThat(pair.client().isRegistered()).isFalse();
    assertThatExceptionOfType(ClosedSelectorException.class).isThrownBy(selector::selectNow);
    Bytes.exchange(pair.server(), pair.client(), "unharmed");
  }

  @Test
  void registeringDoesNotWaitForASelectionInProgress() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    Bytes.write(pair.server(), "x");
    Background<Integer> select = Background.call(() -> selector.select()).awaitBlocked();

    SelectionKey key = Background.call(() -> pair.client().register(selector, OP_READ)).result();
    selector.wakeup();
    select.result();

    assertThat(selector.select(Patience.DEADLINE.toMillis()) + selector.selectedKeys().size())
        .isPositive();
    assertThat(selector.selectedKeys()).containsExactly(key);
  }

  @Test
  void changingTheInterestDoesNotWaitForASelectionInProgress() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey key = pair.client().register(selector, OP_READ);
    Background<Integer> select = Background.call(() -> selector.select()).awaitBlocked();

    Background.call(() -> key.interestOpsOr(OP_WRITE)).result();
    selector.wakeup();
    select.result();

    while (!key.isWritable()) {
      assertThat(selector.select(Patience.DEADLINE.toMillis())).isPositive();
    }
    assertThat(key.readyOps()).isEqualTo(OP_WRITE);
  }

  @Test
  void cancellingDoesNotWaitForASelectionInProgress() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey key = pair.client().register(selector, OP_READ);
    Background<Integer> select = Background.call(() -> selector.select()).awaitBlocked();

    Background.run(key::cancel).result();
    assertThat(key.isValid()).isFalse();
    selector.wakeup();

    assertThat(select.result()).isZero();
    assertThat(selector.keys()).isEmpty();
    assertThat(pair.client().isRegistered()).isFalse();
  }

  @Test
  void closingAChannelDuringASelectionEndsTheStreamAtOnce() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledPair();
    pair.client().configureBlocking(false);
    SelectionKey key = pair.client().register(selector, OP_READ);
    Background<Integer> select = Background.call(() -> selector.select()).awaitBlocked();

    Background.run(pair.client()::close).result();

    assertThat(key.isValid()).isFalse();
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
    selector.wakeup();
    select.result();
    assertThat(selector.keys()).isEmpty();
  }

  @Test
  void selectorsOfTwoThreadsAreBothWokenByOneStream() throws Exception {
    Selector one = net().selector();
    Selector two = net().selector();
    Pair pair = net().settledNonBlockingPair();
    pair.client().register(one, OP_READ);
    pair.client().register(two, OP_READ);

    for (int i = 0; i < 20; i++) {
      Background<Integer> first = Background.call(() -> one.select());
      Background<Integer> second = Background.call(() -> two.select());
      if (i % 5 == 0) {
        first.awaitBlocked();
        second.awaitBlocked();
      }
      Bytes.write(pair.server(), "x");
      assertThat(first.result()).isEqualTo(1);
      assertThat(second.result()).isEqualTo(1);
      one.selectedKeys().clear();
      two.selectedKeys().clear();
      Bytes.read(pair.client(), 1);
    }
  }

  @Test
  void aSecondSelectionWaitsForTheFirst() throws Exception {
    Selector selector = net().selector();
    net().settledNonBlockingPair().client().register(selector, OP_READ);
    Background<Integer> first = Background.call(() -> selector.select()).awaitBlocked();
    Background<Integer> second = Background.call(() -> selector.selectNow());

    Thread.sleep(A_WHILE);
    assertThat(second.isDone()).isFalse();
    selector.wakeup();

    assertThat(first.result()).isZero();
    assertThat(second.result()).isZero();
  }

  @Test
  void registrationsAndCancellationsMayRaceWithSelections() throws Exception {
    Selector selector = net().selector();
    Pair steady = net().settledNonBlockingPair();
    Pair racing = net().settledNonBlockingPair();
    steady.client().register(selector, OP_READ);
    AtomicBoolean stop = new AtomicBoolean();
    Background<@Nullable Void> racer =
        Background.run(() -> registerAndCancel(racing.client(), selector, stop));
    Background<@Nullable Void> waker =
        Background.run(() -> {
          while (!stop.get()) {
            selector.wakeup();
            Thread.sleep(0, ThreadLocalRandom.current().nextInt(100_000));
          }
        });

    for (int i = 0; i < 400; i++) {
      Bytes.write(steady.server(), "x");
      while (Bytes.readOne(steady.client()) == 0) {
        selector.select(20);
        selector.selectedKeys().clear();
      }
    }
    stop.set(true);

    racer.result();
    waker.result();
    selector.selectNow();
    selector.selectNow();
    assertThat(selector.keys()).hasSize(1);
    assertThat(racing.client().isRegistered()).isFalse();
  }

  @Test
  void channelsMayBeClosedWhileTheyAreSelected() throws Exception {
    Selector selector = net().selector();
    AtomicBoolean stop = new AtomicBoolean();
    Background<@Nullable Void> loop =
        Background.run(() -> {
          while (!stop.get()) {
            selector.select(key -> {}, 5);
          }
        });

    for (int i = 0; i < 100; i++) {
      Pair pair = i % 4 == 0 ? net().settledPair() : net().freshPair();
      pair.configureBlocking(false);
      pair.client().register(selector, OP_READ);
      pair.server().register(selector, OP_READ | OP_WRITE);
      Bytes.write(i % 2 == 0 ? pair.client() : pair.server(), "x");
      pair.client().close();
      pair.server().close();
    }
    stop.set(true);

    loop.result();
    selector.selectNow();
    assertThat(selector.keys()).isEmpty();
  }

  @Test
  void aChannelThatIsClosedWhileItIsRegisteredGivesAKeyOrAClosedChannel() throws Exception {
    Selector selector = net().selector();
    CyclicBarrier start = new CyclicBarrier(2);
    BlockingQueue<SocketChannel> toBeClosed = new LinkedBlockingQueue<>();
    int rounds = 3_000;
    Background<@Nullable Void> closer =
        Background.run(() -> {
          for (int i = 0; i < rounds; i++) {
            start.await();
            toBeClosed.take().close();
          }
        });

    for (int i = 0; i < rounds; i++) {
      SocketChannel channel = carrier().provider().openSocketChannel();
      channel.configureBlocking(false);
      start.await();
      toBeClosed.add(channel);
      try {
        assertThat(channel.register(selector, OP_READ).channel()).isSameAs(channel);
      } catch (ClosedChannelException closedFirst) {
        assertThat(channel.isOpen()).isFalse();
      }
      if (i % 64 == 0) {
        selector.selectNow();
      }
    }

    closer.result();
    selector.selectNow();
    assertThat(selector.keys()).isEmpty();
  }

  @Test
  void aKeyThatIsCancelledWhileItIsBeingRegisteredIsReturned() throws Exception {
    Selector selector = net().selector();
    AtomicBoolean stop = new AtomicBoolean();
    Background<@Nullable Void> canceller =
        Background.run(() -> {
          while (!stop.get()) {
            selector.keys().forEach(SelectionKey::cancel);
          }
        });
    SocketChannel channel = net().open();
    channel.configureBlocking(false);

    for (int i = 0; i < 100_000; i++) {
      assertThat(channel.register(selector, OP_READ)).isNotNull();
      while (channel.keyFor(selector) != null) {
        channel.keyFor(selector).cancel();
        selector.selectNow();
      }
    }
    stop.set(true);

    canceller.result();
    assertThat(selector.keys()).isEmpty();
  }

  @Test
  void aChannelThatIsRegisteredWhileItsOldKeyIsFlushedIsHeard() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    Bytes.write(pair.server(), "x"); // never read: each key is ready
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<@Nullable SelectionKey> heard = new AtomicReference<>();
    Background<@Nullable Void> selecting =
        Background.run(() -> {
          while (!stop.get()) {
            selector.selectNow(heard::set);
          }
        });

    try {
      for (int i = 0; i < 1_000; i++) {
        SelectionKey key = registerAgain(pair.client(), selector);
        long deadline = System.nanoTime() + Patience.DEADLINE.toNanos();
        while (!key.equals(heard.get())) {
          assertThat(System.nanoTime() - deadline).as("turn %d", i).isNegative();
          Thread.onSpinWait();
        }
        key.cancel();
      }
    } finally {
      stop.set(true);
    }
    selecting.result();
  }

  private static SelectionKey registerAgain(SocketChannel channel, Selector selector)
      throws ClosedChannelException {
    while (true) {
      try {
        return channel.register(selector, OP_READ);
      } catch (CancelledKeyException notYetFlushed) {
        Thread.onSpinWait();
      }
    }
  }

  private static void registerAndCancel(
      SocketChannel channel, Selector selector, AtomicBoolean stop) throws Exception {
    while (!stop.get()) {
      try {
        SelectionKey key = channel.register(selector, OP_READ | OP_WRITE);
        Thread.onSpinWait();
        key.cancel();
      } catch (CancelledKeyException notYetFlushed) {
        selector.wakeup();
        LockSupport.parkNanos(10_000);
      }
    }
  }
}
