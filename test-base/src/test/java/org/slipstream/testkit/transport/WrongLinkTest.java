package org.slipstream.testkit.transport;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/** What a backend that is wrong hears from {@link LinkContract}: one sentence, and soon. */
@SuppressWarnings("JUnitMethodInvoked") // the tests are what is tested
class WrongLinkTest {

  /** A link with a copy of the peer's window, which it sends when and as it should not. */
  private abstract static class Copied implements Link {
    final HeapLink works;
    final MemorySegment ring;
    final List<long[]> pushed = new ArrayList<>();

    Copied(HeapLink works) {
      this.works = works;
      this.ring = MemorySegment.ofArray(new long[(int) works.sendRing().byteSize() / Long.BYTES]);
    }

    synchronized void sendBytes() {
      for (long[] piece : pushed) {
        MemorySegment.copy(ring, piece[0], works.sendRing(), piece[0], piece[1]);
      }
      pushed.clear();
    }

    @Override
    public MemorySegment receiveControl() {
      return works.receiveControl();
    }

    @Override
    public MemorySegment receiveRing() {
      return works.receiveRing();
    }

    @Override
    public MemorySegment sendControl() {
      return works.sendControl();
    }

    @Override
    public MemorySegment sendRing() {
      return ring;
    }

    @Override
    public synchronized void push(long offset, long length) {
      pushed.add(new long[] {offset, length});
    }

    @Override
    public void publish(long offset, long value) {
      sendBytes();
      works.publish(offset, value);
    }

    @Override
    public void publishInt(long offset, int value) {
      works.publishInt(offset, value);
    }

    @Override
    public void fence() {
      works.fence();
    }

    @Override
    public boolean isLossless() {
      return true;
    }

    @Override
    public void release() {
      works.release();
    }
  }

  private interface Made {
    Link of(HeapLink works);
  }

  private static LinkContract contract(Made made) {
    return new LinkContract() {
      @Override
      protected LinkPair link() {
        HeapLink.Pair pair = HeapLink.pair(64 * 1024, 4096);
        return new LinkPair(
            new LinkPair.End(made.of(pair.a()), pair.a().window()),
            new LinkPair.End(made.of(pair.b()), pair.b().window()));
      }
    };
  }

  /**
   * Some faults show only if both ends meet in one moment: one run is enough on a quiet machine.
   */
  private static void assertHears(String sentence, ThrowingCallable test) {
    assertThatThrownBy(
            () -> {
              long deadline = System.nanoTime() + Patience.DEADLINE.toNanos();
              while (System.nanoTime() - deadline < 0) {
                test.call();
              }
            })
        .hasStackTraceContaining(sentence);
  }

  @Test
  void aLinkThatIsRightHearsNothing() throws Exception {
    LinkContract contract = contract(works -> new Copied(works) {});
    contract.bytesAreThereWhenTheirPositionIs();
    contract.afterFlushEverythingIsInThePeersMemory();
    contract.aFenceAndAPlaceDoNotMissEachOther();
  }

  @Test
  void bytesThatFollowTheirPosition() {
    LinkContract contract =
        contract(works ->
            new Copied(works) {
              @Override
              public void publish(long offset, long value) {
                works.publish(offset, value);
                LockSupport.parkNanos(1_000_000); // a reader is slower where other builds run
                sendBytes();
              }
            });
    assertHears("was seen before byte", contract::bytesAreThereWhenTheirPositionIs);
  }

  @Test
  void bytesThatWaitForTheNextPosition() {
    LinkContract contract =
        contract(works ->
            new Copied(works) {
              @Override
              public void publish(long offset, long value) {
                works.publish(offset, value);
              }

              @Override
              public synchronized void push(long offset, long length) {
                sendBytes();
                super.push(offset, length);
              }
            });
    assertHears(
        "after flush() all that was pushed is in the peer's ring",
        contract::afterFlushEverythingIsInThePeersMemory);
  }

  @Test
  void aWordThatIsOnItsWayWhenAFenceReturns() {
    LinkContract contract =
        contract(works ->
            new Copied(works) {
              private long waiting;

              @Override
              public void publish(long offset, long value) {
                if (waiting > 0) {
                  works.publish(ControlLayout.POSITION, waiting);
                }
                waiting = value;
              }
            });
    assertHears("a reader would sleep for ever", contract::aFenceAndAPlaceDoNotMissEachOther);
  }

  @Test
  void aFenceThatIsNone() {
    LinkContract contract =
        contract(works ->
            new Copied(works) {
              @Override
              public void fence() {
                // The processor may look before it stores.
              }
            });
    if (Runtime.getRuntime().availableProcessors() == 1) {
      return; // one processor sees its own stores
    }
    assertHears("a reader would sleep for ever", contract::aFenceAndAPlaceDoNotMissEachOther);
  }

  @Test
  void aShortWordThatIsStoredAsALongOne() {
    LinkContract contract =
        contract(works ->
            new Copied(works) {
              @Override
              public void publishInt(long offset, int value) {
                works.sendControl().set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
              }
            });
    assertHears("the control block after the word at", contract::aPublishTouchesItsOwnWordOnly);
  }

  @Test
  void wordsThatOvertakeEachOther() {
    LinkContract contract =
        contract(works ->
            new Copied(works) {
              private long waiting;

              @Override
              public void publish(long offset, long value) {
                if (offset == ControlLayout.POSITION) {
                  waiting = value;
                } else {
                  works.publish(offset, value);
                  works.publish(ControlLayout.POSITION, waiting);
                }
              }
            });
    assertHears(
        "was seen before the position that was published before it",
        contract::wordsBehindThePlainOnesComeAfterWhatWasPublishedBefore);
  }
}
