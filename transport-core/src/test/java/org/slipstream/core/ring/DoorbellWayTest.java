package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.transport.ControlLayout;

/** Which way a doorbell goes, and what a reader does that wants another way than before. */
class DoorbellWayTest {
  private static final PipeAddress ONE = new PipeAddress(PipeAddress.pipe(7, 12), 1001, 3);
  private static final PipeAddress OTHER = new PipeAddress(PipeAddress.pipe(7, 15), 1002, 1);

  private final HeapLink.Pair pair = HeapLink.pair(16 * 1024, 16 * 1024);
  private final RingConsumer reader = new RingConsumer(pair.b(), pair.b().window());
  private final List<Long> rung = new ArrayList<>();
  private final RingConsumer back = new RingConsumer(pair.a(), pair.a().window());
  private final RingProducer writer = new RingProducer(pair.a(), back, this::ring);

  private boolean full;
  private int bytes;

  DoorbellWayTest() {
    reader.credit().open();
    back.credit().open();
  }

  /** As a link's own: the words first, then the number. */
  private boolean ring(ByteBuffer words, int arming) {
    long pipe =
        ControlLayout.getLongAcquire(pair.a().receiveControl(), ControlLayout.DOORBELL_PIPE);
    if (pipe == 0 || full) {
      return false;
    }
    int token =
        ControlLayout.getIntAcquire(pair.a().receiveControl(), ControlLayout.DOORBELL_TOKEN);
    rung.add(PipeAddress.rung(token, arming));
    return true;
  }

  private boolean byTcp() {
    bytes++;
    return true;
  }

  private void send() throws Exception {
    writer.write(ByteBuffer.wrap(new byte[8]), this::byTcp);
  }

  private void take() throws Exception {
    assertThat(reader.read(ByteBuffer.allocate(8))).isEqualTo(8);
  }

  @Test
  void aReaderThatNamesAPipeIsRungThereAndNotByTcp() throws Exception {
    assertThat(reader.arm(ONE)).isTrue();
    send();
    send();
    assertThat(rung).as("once for an arming").containsExactly(PipeAddress.rung(3, 2));
    assertThat(bytes).isZero();
    assertThat(
            ControlLayout.getLongAcquire(pair.a().receiveControl(), ControlLayout.DOORBELL_INODE))
        .isEqualTo(1001);
  }

  @Test
  void aReaderWithoutAPipeIsRungByTcp() throws Exception {
    assertThat(reader.arm()).isTrue();
    send();
    assertThat(rung).isEmpty();
    assertThat(bytes).isEqualTo(1);
  }

  @Test
  void whatThePipeDoesNotTakeGoesByTcp() throws Exception {
    assertThat(reader.arm(ONE)).isTrue();
    full = true;
    send();
    assertThat(bytes).isEqualTo(1);
    full = false;
    send();
    assertThat(rung).as("never both for one sleep").isEmpty();
  }

  /** The writer has rung the number already, where this reader does not listen. */
  @Test
  void aReaderThatMovesIsRungOnItsNewWay() throws Exception {
    assertThat(reader.arm(ONE)).isTrue();
    send();
    take();
    assertThat(reader.arm(OTHER)).as("no thread took the record out of the old pipe").isTrue();
    send();
    assertThat(rung).containsExactly(PipeAddress.rung(3, 2), PipeAddress.rung(1, 3));
    take();
    assertThat(reader.arm()).as("a thread blocks in a read").isTrue();
    send();
    assertThat(bytes).isEqualTo(1);
  }

  @Test
  void aReaderThatBlockedBeforeIsRungInThePipe() throws Exception {
    assertThat(reader.arm()).isTrue();
    send();
    take();
    assertThat(reader.arm(ONE)).as("the byte is still unread").isTrue();
    send();
    assertThat(rung).hasSize(1);
  }

  @Test
  void aRecordEndsTheNumberThatItNamesAndNoOther() throws Exception {
    assertThat(reader.arm(ONE)).isTrue();
    assertThat(reader.doorbellHeard(1)).as("the number of an earlier way").isFalse();
    assertThat(reader.doorbellHeard(0)).isFalse();
    send();
    assertThat(reader.doorbellHeard(2)).isTrue();
    assertThat(reader.doorbellHeard(2)).as("twice").isFalse();
    take();
    assertThat(reader.arm(ONE)).isTrue();
    send();
    assertThat(rung).containsExactly(PipeAddress.rung(3, 2), PipeAddress.rung(3, 3));
  }

  /** The record of an arming that was taken back is still to come; the next sleep finds it. */
  @Test
  void anArmingThatWasTakenBackKeepsItsNumber() throws Exception {
    assertThat(reader.arm(ONE)).isTrue();
    send();
    assertThat(reader.arm(ONE)).as("bytes came").isFalse();
    take();
    assertThat(reader.arm(ONE)).isTrue();
    send();
    assertThat(rung).containsExactly(PipeAddress.rung(3, 2));
    assertThat(bytes).isZero();
  }

  /** What was rung between two loads of the word is in the second value already. */
  @Test
  void eachArmingOnTheFutexIsRungAnew() throws Exception {
    assertThat(reader.arm(PipeAddress.FUTEX)).isTrue();
    send();
    assertThat(reader.arm(PipeAddress.FUTEX)).as("bytes came").isFalse();
    take();
    assertThat(reader.arm(PipeAddress.FUTEX)).isTrue();
    send();
    send();
    assertThat(rung).hasSize(2).doesNotHaveDuplicates();
    assertThat(bytes).isZero();
  }

  @Test
  void aReaderThatMovesBetweenFutexPipeAndTcpIsRungOnEach() throws Exception {
    assertThat(reader.arm(PipeAddress.FUTEX)).isTrue();
    send();
    take();
    assertThat(reader.arm(ONE)).isTrue();
    send();
    take();
    assertThat(reader.arm()).isTrue();
    send();
    take();
    assertThat(bytes).isEqualTo(1);
    assertThat(reader.arm(PipeAddress.FUTEX)).isTrue();
    send();
    assertThat(rung).hasSize(3).doesNotHaveDuplicates();
    assertThat(bytes).isEqualTo(1);
  }
}
