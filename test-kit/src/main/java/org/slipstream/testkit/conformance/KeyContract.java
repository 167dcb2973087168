package org.slipstream.testkit.conformance;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.Patience;

/** A key from registration to cancellation. */
public abstract class KeyContract extends NioContract {

  /** Nothing is opened yet. */
  protected KeyContract() {}

  @Test
  void registeringReturnsAKeyThatKnowsBothItsSides() throws Exception {
    Selector selector = net().selector();
    SocketChannel channel = net().settledNonBlockingPair().client();
    Object attachment = new Object();

    SelectionKey key = channel.register(selector, OP_READ, attachment);

    assertThat(key.channel()).isSameAs(channel);
    assertThat(key.selector()).isSameAs(selector);
    assertThat(key.attachment()).isSameAs(attachment);
    assertThat(key.interestOps()).isEqualTo(OP_READ);
    assertThat(key.readyOps()).isZero();
    assertThat(key.isValid()).isTrue();
    assertThat(channel.isRegistered()).isTrue();
    assertThat(channel.keyFor(selector)).isSameAs(key);
    assertThat(selector.keys()).containsExactly(key);
  }

  @Test
  void registeringAgainChangesTheSameKey() throws Exception {
    Selector selector = net().selector();
    SocketChannel channel = net().settledNonBlockingPair().client();
    SelectionKey key = channel.register(selector, OP_READ, "first");

    assertThat(channel.register(selector, OP_WRITE, "second")).isSameAs(key);

    assertThat(key.interestOps()).isEqualTo(OP_WRITE);
    assertThat(key.attachment()).isEqualTo("second");
    assertThat(channel.register(selector, 0)).isSameAs(key);
    assertThat(key.interestOps()).isZero();
    assertThat(key.attachment()).isNull();
    assertThat(selector.keys()).hasSize(1);
  }

  @Test
  void attachingReturnsThePreviousAttachment() throws Exception {
    SelectionKey key =
        net().settledNonBlockingPair().client().register(net().selector(), 0, "first");

    assertThat(key.attach("second")).isEqualTo("first");
    assertThat(key.attach(null)).isEqualTo("second");
    assertThat(key.attachment()).isNull();
    key.cancel();
    assertThat(key.attach("still possible")).isNull();
  }

  @Test
  void interestCanBeSetAddedAndTakenAway() throws Exception {
    SelectionKey key = net().settledNonBlockingPair().client().register(net().selector(), OP_READ);

    assertThat(key.interestOpsOr(OP_WRITE)).isEqualTo(OP_READ);
    assertThat(key.interestOps()).isEqualTo(OP_READ | OP_WRITE);
    assertThat(key.interestOpsAnd(~OP_READ)).isEqualTo(OP_READ | OP_WRITE);
    assertThat(key.interestOps()).isEqualTo(OP_WRITE);
    assertThat(key.interestOps(OP_CONNECT)).isSameAs(key);
    assertThat(key.interestOps()).isEqualTo(OP_CONNECT);
  }

  @Test
  void operationsThatAChannelDoesNotHaveAreRefused() throws Exception {
    Selector selector = net().selector();
    SocketChannel stream = net().settledNonBlockingPair().client();
    ServerSocketChannel listener = net().listen();
    listener.configureBlocking(false);

    assertThat(stream.validOps()).isEqualTo(OP_READ | OP_WRITE | OP_CONNECT);
    assertThat(listener.validOps()).isEqualTo(OP_ACCEPT);
    assertThatIllegalArgumentException().isThrownBy(() -> stream.register(selector, OP_ACCEPT));
    assertThatIllegalArgumentException().isThrownBy(() -> listener.register(selector, OP_READ));
    assertThat(selector.keys()).isEmpty();

    SelectionKey key = stream.register(selector, OP_READ);
    assertThatIllegalArgumentException().isThrownBy(() -> key.interestOps(OP_ACCEPT));
    assertThatIllegalArgumentException().isThrownBy(() -> key.interestOpsOr(1 << 30));
    assertThat(key.interestOps()).isEqualTo(OP_READ);
  }

  @Test
  void aBlockingChannelCannotBeRegistered() throws Exception {
    Selector selector = net().selector();
    SocketChannel stream = net().settledPair().client();
    ServerSocketChannel listener = net().listen();

    assertThatExceptionOfType(IllegalBlockingModeException.class)
        .isThrownBy(() -> stream.register(selector, OP_READ));
    assertThatExceptionOfType(IllegalBlockingModeException.class)
        .isThrownBy(() -> listener.register(selector, OP_ACCEPT));
    assertThat(stream.isRegistered()).isFalse();
  }

  @Test
  void whatIsClosedOrMissingCannotTakePartInARegistration() throws Exception {
    Selector selector = net().selector();
    SocketChannel stream = net().settledNonBlockingPair().client();
    SocketChannel closed = net().open();
    closed.close();

    assertThatExceptionOfType(ClosedChannelException.class)
        .isThrownBy(() -> closed.register(selector, OP_READ));
    assertThatNullPointerException().isThrownBy(() -> stream.register(nothing(), OP_READ));
    selector.close();
    assertThatExceptionOfType(ClosedSelectorException.class)
        .isThrownBy(() -> stream.register(selector, OP_READ));
    assertThat(stream.isRegistered()).isFalse();
  }

  @Test
  void anUnconnectedChannelCanBeRegistered() throws Exception {
    Selector selector = net().selector();
    SocketChannel channel = net().open();
    channel.configureBlocking(false);
    SelectionKey key = channel.register(selector, OP_CONNECT);
    ServerSocketChannel listener = net().listen();

    channel.connect(listener.getLocalAddress());
    if (!channel.isConnected()) {
      selector.select(Patience.DEADLINE.toMillis());
      assertThat(channel.finishConnect()).isTrue();
    }
    key.interestOps(OP_READ);

    Bytes.write(net().closing(listener.accept()), "hello");
    assertThat(selector.select(Patience.DEADLINE.toMillis())).isPositive();
    assertThat(Bytes.read(channel, 5)).isEqualTo("hello");
  }

  @Test
  void aCancelledKeyIsInvalidAtOnceAndGoneAfterTheNextSelection() throws Exception {
    Selector selector = net().selector();
    SocketChannel channel = net().settledNonBlockingPair().client();
    SelectionKey key = channel.register(selector, OP_READ);

    key.cancel();
    key.cancel();

    assertThat(key.isValid()).isFalse();
    assertThat(selector.keys()).contains(key);
    assertThat(channel.isRegistered()).isTrue();

    assertThat(selector.selectNow()).isZero();
    assertThat(selector.keys()).isEmpty();
    assertThat(channel.isRegistered()).isFalse();
    assertThat(channel.keyFor(selector)).isNull();
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void aCancelledKeyLeavesTheSelectedKeysWithTheNextSelection() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey key = pair.client().register(selector, OP_READ);
    Bytes.write(pair.server(), "x");
    assertThat(selector.select(Patience.DEADLINE.toMillis())).isEqualTo(1);

    key.cancel();
    assertThat(selector.selectedKeys()).containsExactly(key);

    assertThat(selector.selectNow()).isZero();
    assertThat(selector.selectedKeys()).isEmpty();
  }

  @Test
  void aCancelledKeyAnswersOnlyHarmlessQuestions() throws Exception {
    Selector selector = net().selector();
    SocketChannel channel = net().settledNonBlockingPair().client();
    SelectionKey key = channel.register(selector, OP_READ, "mine");
    key.cancel();

    assertThat(key.channel()).isSameAs(channel);
    assertThat(key.selector()).isSameAs(selector);
    assertThat(key.attachment()).isEqualTo("mine");
    for (ThrowingCallable call :
        new ThrowingCallable[] {
          key::interestOps,
          () -> key.interestOps(0),
          () -> key.interestOps(OP_ACCEPT),
          () -> key.interestOpsOr(OP_WRITE),
          () -> key.interestOpsAnd(0),
          key::readyOps,
          key::isReadable,
          key::isWritable,
          key::isConnectable,
          key::isAcceptable
        }) {
      assertThatExceptionOfType(CancelledKeyException.class).isThrownBy(call);
    }
  }

  @Test
  void aChannelCanBeRegisteredAgainOnceItsCancelledKeyIsGone() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey first = pair.client().register(selector, OP_READ);
    first.cancel();

    assertThatExceptionOfType(CancelledKeyException.class)
        .isThrownBy(() -> pair.client().register(selector, OP_READ));
    selector.selectNow();
    SelectionKey second = pair.client().register(selector, OP_READ);

    assertThat(second).isNotSameAs(first);
    Bytes.write(pair.server(), "x");
    assertThat(selector.select(Patience.DEADLINE.toMillis())).isEqualTo(1);
    assertThat(selector.selectedKeys()).containsExactly(second);
  }

  @Test
  void closingAChannelCancelsItsKeysInAllSelectors() throws Exception {
    Selector one = net().selector();
    Selector two = net().selector();
    SocketChannel channel = net().settledNonBlockingPair().client();
    SelectionKey inOne = channel.register(one, OP_READ);
    SelectionKey inTwo = channel.register(two, OP_WRITE);

    channel.close();

    assertThat(inOne.isValid()).isFalse();
    assertThat(inTwo.isValid()).isFalse();
    assertThatExceptionOfType(CancelledKeyException.class).isThrownBy(inOne::interestOps);
    one.selectNow();
    two.selectNow();
    assertThat(one.keys()).isEmpty();
    assertThat(two.keys()).isEmpty();
  }

  @Test
  void closingASelectorFreesItsChannels() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey key = pair.client().register(selector, OP_READ);

    selector.close();

    assertThat(key.isValid()).isFalse();
    assertThat(pair.client().isRegistered()).isFalse();
    assertThat(pair.client().keyFor(selector)).isNull();
    pair.configureBlocking(true);
    Bytes.exchange(pair.server(), pair.client(), "on our own again");
  }

  @Test
  void theKeySetIsReadOnlyAndTheSelectedKeySetOnlyShrinks() throws Exception {
    Selector selector = net().selector();
    Pair pair = net().settledNonBlockingPair();
    SelectionKey key = pair.client().register(selector, OP_WRITE);
    assertThat(selector.select(Patience.DEADLINE.toMillis())).isEqualTo(1);

    assertUnsupported(() -> selector.keys().remove(key));
    assertUnsupported(() -> selector.keys().clear());
    assertUnsupported(() -> selector.keys().add(key));
    assertUnsupported(() -> selector.selectedKeys().add(key));
    assertUnsupported(() -> selector.selectedKeys().addAll(List.of()));
    Set<?> raw = selector.selectedKeys();
    assertUnsupported(() -> addRaw(raw, "not a key"));
    assertThat(selector.keys()).isSameAs(selector.keys());
    assertThat(selector.selectedKeys()).isSameAs(selector.selectedKeys());
    assertThat(selector.selectedKeys().remove(key)).isTrue();
    assertThat(selector.selectedKeys()).isEmpty();
    assertThat(key.isValid()).isTrue();
  }

  @Test
  void theKeySetMayBeIteratedWhileChannelsComeAndGo() throws Exception {
    Selector selector = net().selector();
    for (int i = 0; i < 4; i++) {
      Pair pair = net().freshPair().configureBlocking(false);
      pair.client().register(selector, OP_READ);
      pair.server().register(selector, OP_READ);
    }

    int seen = 0;
    for (SelectionKey key : selector.keys()) {
      seen++;
      key.cancel();
      selector.selectNow();
      SocketChannel late = net().open();
      late.configureBlocking(false);
      late.register(selector, 0);
      if (seen == 8) {
        break;
      }
    }

    assertThat(seen).isEqualTo(8);
  }

  /** The kernel says that of such a socket, and the JDK's selector hands it on. */
  @Test
  void aChannelThatNeverConnectedIsReadyForAllThatIsWaitedFor() throws Exception {
    Selector selector = net().selector();
    SocketChannel channel = net().open();
    channel.configureBlocking(false);
    SelectionKey key = channel.register(selector, OP_READ | OP_WRITE);

    assertThat(selector.select(Patience.DEADLINE.toMillis())).isEqualTo(1);

    assertThat(key.readyOps()).isEqualTo(OP_READ | OP_WRITE);
  }

  @SuppressWarnings("unchecked") // as programs without generics do
  private static void addRaw(Set<?> to, Object element) {
    assertThat(((Set<Object>) to).add(element)).isTrue();
  }

  private static void assertUnsupported(ThrowingCallable call) {
    assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(call);
  }
}
