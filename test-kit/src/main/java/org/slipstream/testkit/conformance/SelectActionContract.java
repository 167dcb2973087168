package org.slipstream.testkit.conformance;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;

/** Selections that call an action instead of filling the selected-key set. */
public abstract class SelectActionContract extends NioContract {

  private static final long LONG_MILLIS = Patience.DEADLINE.toMillis();

  /** Nothing is opened yet. */
  protected SelectActionContract() {}

  @Test
  void theActionIsCalledOnceForEachReadyKey() throws Exception {
    Selector selector = net().selector();
    Pair ready = net().settledNonBlockingPair();
    Pair silent = net().settledNonBlockingPair();
    SelectionKey key = ready.client().register(selector, OP_READ | OP_WRITE);
    silent.client().register(selector, OP_READ);
    Bytes.write(ready.server(), "x");
    List<SelectionKey> seen = new ArrayList<>();

    int n = selectUntilReadable(selector, key, seen);

    assertThat(n).isEqualTo(1);
    assertThat(seen).containsExactly(key);
    assertThat(key.readyOps()).isEqualTo(OP_READ | OP_WRITE);
    assertThat(selector.selectedKeys()).isEmpty();
  }

  @Test
  void theReadySetIsNewForEachSelection() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey key = pair.client().register(selector, OP_READ);
    Bytes.write(pair.server(), "x");
    assertThat(selector.select(k -> {}, LONG_MILLIS)).isEqualTo(1);
    Bytes.read(pair.client(), 1);

    key.interestOps(OP_READ | OP_WRITE);
    assertThat(selector.select(k -> {}, LONG_MILLIS)).isEqualTo(1);

    assertThat(key.readyOps()).isEqualTo(OP_WRITE);
  }

  @Test
  void theActionIsCalledAgainAsLongAsTheKeyIsReady() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    pair.client().register(selector, OP_READ);
    Bytes.write(pair.server(), "x");

    for (int i = 0; i < 3; i++) {
      assertThat(selector.select(key -> {}, LONG_MILLIS)).isEqualTo(1);
    }
    Bytes.read(pair.client(), 1);
    assertThat(selector.selectNow(key -> {})).isZero();
  }

  /** What has woken the selector is gone by then; the key must be found all the same. */
  @Test
  void aKeyWhoseActionHasThrownIsFoundAgain() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    pair.client().register(selector, OP_READ);
    for (int round = 0; round < 10; round++) {
      CompletableFuture<Void> writing =
          CompletableFuture.runAsync(
              () -> write(pair.server()),
              CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS));
      assertThatIllegalStateException()
          .isThrownBy(() -> {
            while (true) {
              selector.select(
                  key -> {
                    throw new IllegalStateException("by the action");
                  },
                  LONG_MILLIS);
            }
          });
      assertThat(selector.select(key -> {}, LONG_MILLIS)).isEqualTo(1);
      writing.get(LONG_MILLIS, TimeUnit.MILLISECONDS);
      Bytes.read(pair.client(), 1);
    }
  }

  /** And so must those behind it: a doorbell that was heard does not ring again. */
  @Test
  void aKeyBehindOneWhoseActionHasThrownIsFound() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey behind = pair.client().register(selector, OP_READ);
    Pipe other = selector.provider().openPipe();
    try (Pipe.SinkChannel sink = other.sink();
        Pipe.SourceChannel source = other.source()) {
      source.configureBlocking(false);
      source.register(selector, OP_READ);
      for (int round = 0; round < 10; round++) {
        assertThat(selector.select(key -> {}, 5)).as("nothing has come, and it slept").isZero();
        sink.write(ByteBuffer.allocate(1));
        Bytes.write(pair.server(), "x");
        List<SelectionKey> found = new ArrayList<>();
        try {
          while (found.isEmpty()) {
            selector.select(
                key -> {
                  if (key.channel().equals(source)) {
                    unchecked(() -> source.read(ByteBuffer.allocate(1))).accept(key);
                    throw new IllegalStateException("by the action");
                  }
                  found.add(key);
                },
                LONG_MILLIS);
          }
        } catch (IllegalStateException e) {
          assertThat(e).hasMessage("by the action");
        }
        while (!found.contains(behind)) {
          assertThat(selector.select(found::add, LONG_MILLIS)).isEqualTo(1);
        }
        Bytes.read(pair.client(), 1);
        while (source.read(ByteBuffer.allocate(1)) > 0) {
          // The stream's key came first.
        }
      }
    }
  }

  @Test
  void keysThatWereSelectedBeforeStayInTheSelectedKeySet() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey key = pair.client().register(selector, OP_WRITE);
    assertThat(selector.select(LONG_MILLIS)).isEqualTo(1);

    assertThat(selector.select(k -> {}, LONG_MILLIS)).isEqualTo(1);

    assertThat(selector.selectedKeys()).containsExactly(key);
  }

  @Test
  void aSelectionInsideTheActionIsRefused() throws Exception {
    Selector selector = net().selector();
    net().settledNonBlockingPair().client().register(selector, OP_WRITE);

    for (Consumer<SelectionKey> nested :
        List.<Consumer<SelectionKey>>of(
            unchecked(selector::select),
            unchecked(selector::selectNow),
            unchecked(() -> selector.select(1)),
            unchecked(() -> selector.selectNow(k -> {})))) {
      assertThatIllegalStateException().isThrownBy(() -> selector.select(nested, LONG_MILLIS));
    }

    assertThat(selector.selectNow()).isEqualTo(1);
  }

  @Test
  void closingTheSelectorInTheActionEndsTheSelection() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey key = pair.client().register(selector, OP_WRITE);

    assertThatExceptionOfType(ClosedSelectorException.class)
        .isThrownBy(() -> selector.select(unchecked(selector::close)));

    assertThat(selector.isOpen()).isFalse();
    assertThat(key.isValid()).isFalse();
  }

  @Test
  void anExceptionOfTheActionIsTheProgramsAndTheSelectorGoesOn() throws Exception {
    Selector selector = net().selector();
    net().settledNonBlockingPair().client().register(selector, OP_WRITE);
    UnsupportedOperationException mine = new UnsupportedOperationException("mine");

    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() ->
            selector.select(key -> {
              throw mine;
            }))
        .isSameAs(mine);

    assertThat(selector.select(key -> {}, LONG_MILLIS)).isEqualTo(1);
  }

  @Test
  void aMissingActionIsRefused() throws Exception {
    Selector selector = net().selector();
    Consumer<SelectionKey> missing = nothing();

    assertThatNullPointerException().isThrownBy(() -> selector.select(missing));
    assertThatNullPointerException().isThrownBy(() -> selector.select(missing, 1));
    assertThatNullPointerException().isThrownBy(() -> selector.selectNow(missing));
  }

  @Test
  void aWakeupEndsASelectionWithoutCallingTheAction() throws Exception {
    Selector selector = net().selector();
    net().settledNonBlockingPair().client().register(selector, OP_READ);
    selector.wakeup();

    int n =
        selector.select(key -> {
          throw new AssertionError("nothing is ready");
        });

    assertThat(n).isZero();
  }

  @Test
  void theActionMayCancelAndCloseAndChangeTheInterest() throws Exception {
    Selector selector = net().selector();
    Pair one = net().settledNonBlockingPair();
    Pair two = net().settledNonBlockingPair();
    Pair three = net().settledNonBlockingPair();
    SelectionKey cancelled = one.client().register(selector, OP_WRITE);
    SelectionKey closed = two.client().register(selector, OP_WRITE);
    SelectionKey changed = three.client().register(selector, OP_WRITE);

    int n =
        selector.select(
            key -> {
              if (key.equals(cancelled)) {
                key.cancel();
              } else if (key.equals(closed)) {
                unchecked(two.client()::close).accept(key);
              } else {
                key.interestOps(OP_READ);
              }
            },
            LONG_MILLIS);

    assertThat(n).isEqualTo(3);
    assertThat(selector.selectNow(key -> {})).isZero();
    assertThat(selector.keys()).containsExactly(changed);
  }

  @Test
  void theActionMayRegisterAnotherChannel() throws Exception {
    Selector selector = net().selector();
    Pair one = net().settledNonBlockingPair();
    Pair two = net().settledNonBlockingPair();
    one.client().register(selector, OP_WRITE);

    assertThat(
            selector.select(
                unchecked(() -> two.client().register(selector, OP_WRITE)), LONG_MILLIS))
        .isEqualTo(1);

    assertThat(selector.select(key -> {}, LONG_MILLIS)).isEqualTo(2);
  }

  private static void write(SocketChannel channel) {
    try {
      Bytes.write(channel, "x");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int selectUntilReadable(
      Selector selector, SelectionKey key, List<SelectionKey> seen) throws IOException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONG_MILLIS);
    int n;
    do { // it is always writable, so this does not sleep
      seen.clear();
      n = selector.select(seen::add, LONG_MILLIS);
    } while ((n == 0 || !key.isReadable()) && System.nanoTime() - end < 0);
    return n;
  }

  /** A call that may throw an IOException. */
  @FunctionalInterface
  private interface IoCall {
    void run() throws IOException;
  }

  private static Consumer<SelectionKey> unchecked(IoCall call) {
    return key -> {
      try {
        call.run();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    };
  }
}
