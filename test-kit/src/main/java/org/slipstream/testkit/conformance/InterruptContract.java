package org.slipstream.testkit.conformance;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.InterruptibleChannel;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.FullListener;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Tape;
import org.slipstream.testkit.ThreadKind;

/**
 * Interrupting a thread that is blocked in a channel closes the channel, and says so; the status
 * stays set. Selections just return. What does not block does not look.
 */
public abstract class InterruptContract extends NioContract {

  /** Nothing is opened yet. */
  protected InterruptContract() {}

  @ParameterizedTest
  @EnumSource
  void aBlockedReadIsClosedByTheInterrupt(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();

    assertClosedByInterrupt(kind, pair.client(), () -> pair.client().read(ByteBuffer.allocate(1)));

    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedScatteringReadIsClosedByTheInterrupt(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();

    assertClosedByInterrupt(
        kind, pair.client(), () -> pair.client().read(new ByteBuffer[] {ByteBuffer.allocate(1)}));
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedWriteIsClosedByTheInterrupt(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    long accepted = Bytes.fillUp(pair.client(), new Tape(1));

    assertClosedByInterrupt(
        kind, pair.client(), () -> pair.client().write(ByteBuffer.allocate(1000)));

    Bytes.readTape(pair.server(), new Tape(1), accepted);
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedGatheringWriteIsClosedByTheInterrupt(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    Bytes.fillUp(pair.server(), new Tape(1));

    assertClosedByInterrupt(
        kind,
        pair.server(),
        () -> pair.server().write(new ByteBuffer[] {ByteBuffer.allocate(1000)}));
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedAcceptIsClosedByTheInterrupt(ThreadKind kind) throws Exception {
    ServerSocketChannel listener = net().listen();

    assertClosedByInterrupt(kind, listener, listener::accept);
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedConnectIsClosedByTheInterrupt(ThreadKind kind) throws Exception {
    FullListener listener = net().closing(new FullListener(carrier()));
    SocketChannel client = net().open();

    assertClosedByInterrupt(kind, client, () -> client.connect(listener.address()));
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedFinishConnectIsClosedByTheInterrupt(ThreadKind kind) throws Exception {
    FullListener listener = net().closing(new FullListener(carrier()));
    SocketChannel client = net().open();
    client.configureBlocking(false);
    assertThat(client.connect(listener.address())).isFalse();
    client.configureBlocking(true);

    assertClosedByInterrupt(kind, client, client::finishConnect);
  }

  @ParameterizedTest
  @EnumSource
  void aBlockedReadOfTheSocketsStreamIsClosedByTheInterrupt(ThreadKind kind) throws Exception {
    Pair pair = net().settledPair();
    pair.client().socket().setSoTimeout(60_000);

    assertClosedByInterrupt(
        kind, pair.client(), () -> pair.client().socket().getInputStream().read());
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptThatCameBeforeTheCallClosesTheChannelEvenIfThereIsData(ThreadKind kind)
      throws Exception {
    Pair reading = net().settledPair();
    Bytes.write(reading.server(), "ready to be read");
    assertClosedAtEntry(
        kind, reading.client(), () -> reading.client().read(ByteBuffer.allocate(1)));

    Pair writing = net().settledPair();
    assertClosedAtEntry(
        kind, writing.client(), () -> writing.client().write(ByteBuffer.allocate(1)));

    ServerSocketChannel listener = net().listen();
    net().connect(listener);
    assertClosedAtEntry(kind, listener, listener::accept);

    ServerSocketChannel other = net().listen();
    SocketChannel client = net().open();
    assertClosedAtEntry(kind, client, () -> client.connect(other.getLocalAddress()));
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptedSelectionReturnsAndTheSelectorStaysOpen(ThreadKind kind) throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    pair.client().register(selector, OP_READ);
    Background<Integer> select = Background.call(kind, () -> selector.select()).awaitBlocked();

    select.thread().interrupt();

    assertThat(select.result()).isZero();
    assertThat(select.endedInterrupted()).isTrue();
    assertThat(selector.isOpen()).isTrue();
    assertThat(pair.client().isOpen()).isTrue();
    Bytes.write(pair.server(), "x");
    assertThat(selector.select(Patience.DEADLINE.toMillis())).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aSelectionOfAnInterruptedThreadReturnsAtOnce(ThreadKind kind) throws Exception {
    Selector selector = net().selector();
    net().settledNonBlockingPair().client().register(selector, OP_READ);

    Background<Integer> select =
        Background.call(
            kind,
            () -> {
              Thread.currentThread().interrupt();
              return selector.select() + selector.select(60_000) + selector.selectNow();
            });

    assertThat(select.result()).isZero();
    assertThat(select.endedInterrupted()).isTrue();
    assertThat(selector.isOpen()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void whatDoesNotBlockIgnoresInterrupts(ThreadKind kind) throws Exception {
    Pair pair = net().settledNonBlockingPair();
    ServerSocketChannel listener = net().listen();
    listener.configureBlocking(false);
    SocketChannel client = net().open();
    client.configureBlocking(false);

    Background<@Nullable Void> calls =
        Background.run(
            kind,
            () -> {
              Thread.currentThread().interrupt();
              assertThat(pair.client().read(ByteBuffer.allocate(1))).isZero();
              assertThat(pair.client().write(Bytes.ascii("x"))).isEqualTo(1);
              assertThat(pair.client().write(new ByteBuffer[] {Bytes.ascii("y")})).isEqualTo(1);
              assertThat(listener.accept()).isNull();
              if (!client.connect(listener.getLocalAddress())) {
                client.finishConnect();
              }
            });

    calls.result();
    assertThat(calls.endedInterrupted()).isTrue();
    assertThat(pair.client().isOpen()).isTrue();
    assertThat(listener.isOpen()).isTrue();
    assertThat(client.isOpen()).isTrue();
    assertThat(Bytes.read(pair.server(), 2)).isEqualTo("xy");
  }

  @ParameterizedTest
  @EnumSource
  void interruptingOneStreamDoesNotDisturbItsNeighbours(ThreadKind kind) throws Exception {
    Pair victim = net().settledPair();
    Pair neighbour = net().settledPair();
    Background<String> bystander =
        Background.call(kind, () -> Bytes.read(neighbour.client(), 4)).awaitBlocked();

    assertClosedByInterrupt(kind, victim.client(), () -> Bytes.readOne(victim.client()));

    Bytes.write(neighbour.server(), "calm");
    assertThat(bystander.result()).isEqualTo("calm");
    Pair later = net().settledPair();
    Bytes.exchange(later.client(), later.server(), "business as usual");
  }

  /** A fresh stream is offered after its first bytes, and gets its link while the writer sleeps. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anInterruptEndsAWriteOfWhichAPartIsDone(boolean gathering) throws Exception {
    for (Pair pair : new Pair[] {net().freshPair(), net().settledPair()}) {
      ByteBuffer large = ByteBuffer.allocateDirect(64 << 20);
      ByteBuffer[] two = {ByteBuffer.allocate(1), large};
      Background<?> write =
          Background.call(
                  () -> {
                    Bytes.write(pair.client(), "1");
                    Bytes.write(pair.client(), "2");
                    return gathering ? pair.client().write(two) : (long) pair.client().write(large);
                  })
              .awaitBlocked();
      Thread.sleep(A_WHILE);

      write.thread().interrupt();

      assertThat(write.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
      assertThat(write.endedInterrupted()).isTrue();
      assertThat(pair.client().isOpen()).isFalse();
    }
  }

  private static void assertClosedByInterrupt(
      ThreadKind kind, InterruptibleChannel channel, Callable<?> call) throws Exception {
    Background<?> blocked = Background.call(kind, call).awaitBlocked();

    blocked.thread().interrupt();

    assertThat(blocked.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
    assertThat(blocked.endedInterrupted()).isTrue();
    assertThat(channel.isOpen()).isFalse();
  }

  private static void assertClosedAtEntry(
      ThreadKind kind, InterruptibleChannel channel, Callable<?> call) throws Exception {
    Background<Object> interrupted =
        Background.call(
            kind,
            () -> {
              Thread.currentThread().interrupt();
              return call.call();
            });

    assertThat(interrupted.failure()).isExactlyInstanceOf(ClosedByInterruptException.class);
    assertThat(interrupted.endedInterrupted()).isTrue();
    assertThat(channel.isOpen()).isFalse();
  }
}
