package org.slipstream.testkit.transport;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * What the core relies on in every {@link Link}: when the bytes that were pushed and the words that
 * were published are in the peer's memory. A link whose order is wrong fails here with the rule
 * that it breaks; above, it would be a socket test that does not end.
 */
public abstract class LinkContract {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);

  /** How long threads race with each other. */
  private static final long RACE_NS = 400_000_000;

  /** Races of slow media still get somewhere. */
  private static final int LEAST = 20;

  /** Repeats a run of the random lengths. */
  @RegisterExtension final Seed seed = new Seed();

  /**
   * A new link, whose both ends are in this JVM.
   *
   * @return its windows may be committed in part only
   */
  protected abstract LinkPair link() throws Exception;

  // -- shape -----------------------------------------------------------------------------------

  @Test
  public void eachEndSeesItsOwnWindowAndTheOneOfThePeer() throws Exception {
    LinkPair pair = link();
    for (LinkPair.End end : new LinkPair.End[] {pair.a(), pair.b()}) {
      LinkPair.End other = end.equals(pair.a()) ? pair.b() : pair.a();
      assertThat(end.link().receiveControl().address())
          .as("receiveControl is the window that was joined")
          .isEqualTo(end.window().control().address());
      assertThat(end.link().receiveRing().address())
          .as("receiveRing is the window that was joined")
          .isEqualTo(end.window().ring().address());
      assertThat(end.link().sendControl().byteSize())
          .as("bytes of sendControl")
          .isEqualTo(ControlLayout.BYTES);
      assertThat(end.link().sendRing().byteSize())
          .as("sendRing is as large as the peer's ring")
          .isEqualTo(other.window().ring().byteSize());
      assertThat(end.link().sendControl().address() % Long.BYTES)
          .as("words of sendControl are aligned")
          .isZero();
    }
  }

  @Test
  public void aNewLinkIsZeroAndWhole() throws Exception {
    LinkPair pair = link();
    for (LinkPair.End end : new LinkPair.End[] {pair.a(), pair.b()}) {
      byte[] zeros = new byte[ControlLayout.BYTES];
      assertBytes("receiveControl of a new link", end.link().receiveControl(), zeros);
      assertBytes("sendControl of a new link", end.link().sendControl(), zeros);
      assertThat(end.link().isBroken()).as("a new link is broken").isFalse();
    }
  }

  @Test
  public void bothEndsNeedTheSameChecksum() throws Exception {
    LinkPair pair = link();
    assertThat(pair.a().link().needsChecksum()).isEqualTo(pair.b().link().needsChecksum());
    assertThat(pair.a().link().needsSelfValidation())
        .isEqualTo(pair.b().link().needsSelfValidation());
  }

  // -- what flush() promises -------------------------------------------------------------------

  @Test
  public void afterFlushEverythingIsInThePeersMemory() throws Exception {
    LinkPair pair = link();
    Link from = pair.a().link();
    Link to = pair.b().link();
    for (int turn = 1; turn <= LEAST; turn++) {
      byte[] message = message(turn, 300);
      MemorySegment.copy(
          message, 0, from.sendRing(), ValueLayout.JAVA_BYTE, 16L * turn, message.length);
      from.push(16L * turn, message.length);
      ControlLayout.putLongPlain(from.sendControl(), ControlLayout.PIGGYBACK, 7L * turn);
      from.publish(ControlLayout.POSITION, 1000L * turn);
      from.publish(ControlLayout.FIN_AT, 11L * turn);
      from.publishInt(ControlLayout.FLAGS, turn);
      from.flush();
      assertThat(from.isBroken()).isFalse();
      assertBytes(
          "after flush() all that was pushed is in the peer's ring",
          to.receiveRing().asSlice(16L * turn, message.length),
          message);
      assertWord(to, ControlLayout.POSITION, 1000L * turn, "the position");
      assertWord(to, ControlLayout.PIGGYBACK, 7L * turn, "a plain store before the position");
      assertWord(to, ControlLayout.FIN_AT, 11L * turn, "a word behind the plain ones");
      assertThat(ControlLayout.getIntAcquire(to.receiveControl(), ControlLayout.FLAGS))
          .as("after flush() a 4-byte word is in the peer's memory")
          .isEqualTo(turn);
    }
  }

  private static void assertWord(Link to, int offset, long value, String what) {
    assertThat(ControlLayout.getLongAcquire(to.receiveControl(), offset))
        .as("after flush() %s is in the peer's memory", what)
        .isEqualTo(value);
  }

  @Test
  public void aPublishTouchesItsOwnWordOnly() throws Exception {
    LinkPair pair = link();
    Link from = pair.a().link();
    Link to = pair.b().link();
    byte[] expected = new byte[ControlLayout.BYTES];
    ByteBuffer words = ByteBuffer.wrap(expected).order(LITTLE_ENDIAN);
    for (int offset :
        new int[] {
          ControlLayout.CREDIT,
          ControlLayout.SWITCH_AT,
          ControlLayout.FIN_AT,
          ControlLayout.COMMITTED,
          ControlLayout.POSITION
        }) {
      from.publish(offset, 0x0102030405060708L + offset);
      words.putLong(offset, 0x0102030405060708L + offset);
      assertControl(from, to, expected, offset);
    }
    for (int offset :
        new int[] {
          ControlLayout.ARMED,
          ControlLayout.CREDIT_REQUEST,
          ControlLayout.FLAGS,
          ControlLayout.BACK_SEEN
        }) {
      from.publishInt(offset, -0x01020304 - offset);
      words.putInt(offset, -0x01020304 - offset);
      assertControl(from, to, expected, offset);
    }
  }

  @Test
  public void aWordThatMayComeLaterComesWithTheNextOne() throws Exception {
    LinkPair pair = link();
    Link from = pair.a().link();
    Link to = pair.b().link();
    for (int turn = 1; turn <= LEAST; turn++) {
      from.publishInt(ControlLayout.ARMED, turn);
      from.publishIntLater(ControlLayout.ARMED, 0);
      from.publish(ControlLayout.CREDIT, turn);
      from.flush();
      assertWord(to, ControlLayout.CREDIT, turn, "the credit");
      assertThat(ControlLayout.getIntAcquire(to.receiveControl(), ControlLayout.ARMED))
          .as("after flush() a word that may come later is there, too")
          .isZero();
    }
  }

  private static void assertControl(Link from, Link to, byte[] expected, int offset) {
    from.flush();
    assertBytes(
        "the control block after the word at " + offset + " was published",
        to.receiveControl(),
        expected);
  }

  @Test
  public void bytesOfOneLinkAreNotInAnother() throws Exception {
    LinkPair before = link();
    LinkPair pair = link();
    LinkPair behind = link();
    byte[] left = all(before);
    byte[] right = all(behind);
    Link from = pair.a().link();
    long size = from.sendRing().byteSize();
    pair.b().window().grow(size);
    from.sendRing().fill((byte) 0x5A);
    from.push(0, size);
    from.publish(ControlLayout.POSITION, size);
    from.publishInt(ControlLayout.BACK_SEEN, -1);
    from.flush();
    assertBytes("a whole ring was pushed", pair.b().link().receiveRing(), bytes(from.sendRing()));
    assertBytes("windows of a link that was made before", MemorySegment.ofArray(all(before)), left);
    assertBytes("windows of a link that was made later", MemorySegment.ofArray(all(behind)), right);
  }

  private static byte[] all(LinkPair pair) {
    ByteBuffer all = ByteBuffer.allocate(4 * ControlLayout.BYTES + 4 * 4096);
    for (LinkPair.End end : new LinkPair.End[] {pair.a(), pair.b()}) {
      long committed = Math.min(4096, end.window().committedBytes());
      all.put(bytes(end.link().receiveControl()));
      all.put(bytes(end.link().receiveRing().asSlice(0, committed)));
    }
    return all.array();
  }

  // -- order -----------------------------------------------------------------------------------

  /** The heart of it; all four threads of a link at once. */
  @Test
  public void bytesAreThereWhenTheirPositionIs() throws Exception {
    LinkPair pair = link();
    long end = System.nanoTime() + RACE_NS;
    race(
        new Sender(pair.a(), pair.b(), end, seed.random().nextLong())::run,
        new Sender(pair.b(), pair.a(), end, seed.random().nextLong())::run);
  }

  /** One direction: a writer and, in a thread of its own, the reader at the other end. */
  private static final class Sender {
    private final LinkPair.End from;
    private final LinkPair.End to;
    private final long end;
    private final Random random;
    private final long size;

    /** Bytes of which the writer knows that they are placed. */
    private final AtomicLong placed = new AtomicLong();

    private final AtomicLong total = new AtomicLong(Long.MAX_VALUE);

    Sender(LinkPair.End from, LinkPair.End to, long end, long seed) {
      this.from = from;
      this.to = to;
      this.end = end;
      this.random = new Random(seed);
      this.size = from.link().sendRing().byteSize();
    }

    Void run() throws Exception {
      to.window().grow(size);
      race(this::write, this::read);
      return null;
    }

    private Void write() {
      Link link = from.link();
      long position = 0;
      for (int i = 0; i < LEAST || System.nanoTime() - end < 0; i++) {
        int length = 1 + random.nextInt(random.nextBoolean() ? 64 : (int) size / 4);
        while (position + length - credit(link) > size) {
          if (Thread.interrupted()) {
            return null;
          }
          Thread.onSpinWait();
        }
        for (long at = position; at < position + length; at++) {
          link.sendRing().set(ValueLayout.JAVA_BYTE, at % size, tape(at));
        }
        long offset = position % size;
        long first = Math.min(length, size - offset);
        link.push(offset, first);
        if (first < length) {
          link.push(0, length - first);
        }
        position += length;
        link.publish(ControlLayout.POSITION, position);
        if (link.needsChecksum()) {
          link.flush();
          assertThat(link.isBroken()).isFalse();
        }
        placed.set(position);
      }
      link.flush();
      total.set(position);
      return null;
    }

    private static long credit(Link link) {
      return ControlLayout.getLongAcquire(link.receiveControl(), ControlLayout.CREDIT);
    }

    private Void read() {
      Link link = to.link();
      long read = 0;
      while (read < total.get()) {
        long limit = link.needsChecksum() ? placed.get() : Long.MAX_VALUE;
        long position =
            Math.min(
                limit, ControlLayout.getLongAcquire(link.receiveControl(), ControlLayout.POSITION));
        for (; read < position; read++) {
          byte found = link.receiveRing().get(ValueLayout.JAVA_BYTE, read % size);
          if (found != tape(read)) {
            throw new AssertionError(
                "publish() of position "
                    + position
                    + " was seen before byte "
                    + read
                    + ", which was pushed before it");
          }
        }
        if (read > 0) {
          link.publish(ControlLayout.CREDIT, read);
        }
        if (Thread.interrupted()) {
          break;
        }
        Thread.onSpinWait();
      }
      return null;
    }

    private static byte tape(long at) {
      return (byte) (at * 31 + (at >>> 7));
    }
  }

  @Test
  public void plainStoresAreThereWhenThePositionIs() throws Exception {
    LinkPair pair = link();
    Link from = pair.a().link();
    Link to = pair.b().link();
    if (from.needsChecksum() || from.needsSelfValidation()) {
      return; // the core looks at such words only with a checksum
    }
    long end = System.nanoTime() + RACE_NS;
    race(
        () -> {
          for (long i = 1; i <= LEAST || System.nanoTime() - end < 0; i++) {
            for (int at = ControlLayout.MAILBOX; at < ControlLayout.MAILBOX_END; at += Long.BYTES) {
              from.sendControl().set(LONG, at, i);
            }
            from.publish(ControlLayout.POSITION, i);
            while (ControlLayout.getLongAcquire(from.receiveControl(), ControlLayout.CREDIT) < i) {
              if (Thread.interrupted()) {
                return null;
              }
              Thread.onSpinWait();
            }
          }
          from.publish(ControlLayout.POSITION, -1);
          return null;
        },
        () -> {
          long last = 0;
          for (; ; ) {
            long position =
                ControlLayout.getLongAcquire(to.receiveControl(), ControlLayout.POSITION);
            if (position < 0 || Thread.interrupted()) {
              return null;
            }
            if (position > last) {
              for (int at = ControlLayout.MAILBOX;
                  at < ControlLayout.MAILBOX_END;
                  at += Long.BYTES) {
                assertThat(to.receiveControl().get(LONG, at))
                    .as("the plain store at %d is there when the position behind it is", at)
                    .isEqualTo(position);
              }
              last = position;
              to.publish(ControlLayout.CREDIT, position);
            }
          }
        });
  }

  @Test
  public void wordsBehindThePlainOnesComeAfterWhatWasPublishedBefore() throws Exception {
    LinkPair pair = link();
    Link from = pair.a().link();
    Link to = pair.b().link();
    long end = System.nanoTime() + RACE_NS;
    race(
        () -> {
          for (long i = 1; i <= LEAST || System.nanoTime() - end < 0; i++) {
            from.publish(ControlLayout.POSITION, i);
            from.publish(ControlLayout.FIN_AT, i);
          }
          from.publish(ControlLayout.POSITION, Long.MAX_VALUE);
          from.publish(ControlLayout.FIN_AT, Long.MAX_VALUE);
          from.flush();
          return null;
        },
        () -> {
          long fin = 0;
          while (fin != Long.MAX_VALUE && !Thread.interrupted()) {
            fin = ControlLayout.getLongAcquire(to.receiveControl(), ControlLayout.FIN_AT);
            assertThat(ControlLayout.getLongAcquire(to.receiveControl(), ControlLayout.POSITION))
                .as("the final position was seen before the position that was published before it")
                .isGreaterThanOrEqualTo(fin);
          }
          return null;
        });
  }

  /** Dekker's: the one that publishes and the one that goes to sleep must not miss each other. */
  @Test
  public void aFenceAndAPlaceDoNotMissEachOther() throws Exception {
    LinkPair pair = link();
    Link writer = pair.a().link();
    Link reader = pair.b().link();
    long end = System.nanoTime() + RACE_NS;
    Turns writers = new Turns();
    Turns readers = new Turns();
    race(
        () -> {
          for (int turn = 1; writers.meet(turn, readers); turn++) {
            writer.publish(ControlLayout.POSITION, turn);
            writer.fence();
            int armed = ControlLayout.getIntAcquire(writer.receiveControl(), ControlLayout.ARMED);
            writers.saw = armed == turn;
            if (!writers.met(turn, readers)) {
              break;
            }
            if (!writers.saw && !readers.saw) {
              throw new AssertionError(
                  "in turn "
                      + turn
                      + " neither the fence() behind a publish nor the flush() behind an arming"
                      + " number let its caller see the other: a reader would sleep for ever");
            }
          }
          return null;
        },
        () -> {
          for (int turn = 1; turn <= LEAST || System.nanoTime() - end < 0; turn++) {
            if (!readers.meet(turn, writers)) {
              break;
            }
            reader.publishInt(ControlLayout.ARMED, turn);
            reader.flush();
            long position =
                ControlLayout.getLongAcquire(reader.receiveControl(), ControlLayout.POSITION);
            readers.saw = position == turn;
            if (!readers.met(turn, writers)) {
              break;
            }
          }
          readers.meet(Turns.OVER, writers);
          return null;
        });
  }

  /** Brings two threads to the same place within nanoseconds; one for each of them. */
  private static final class Turns {
    static final long OVER = Long.MAX_VALUE - 1;
    private static final int SPINS = 10_000;

    /** Two for each turn. */
    private final AtomicLong step = new AtomicLong();

    /** Read by the other after {@link #met}. */
    boolean saw;

    /** State of a generator, which is also work that is not left out. */
    private long jitter = System.identityHashCode(this);

    /** Before a turn; false if there is none. */
    boolean meet(long turn, Turns other) {
      boolean goesOn = turn == OVER ? arrive(OVER, other) : arrive(2 * turn, other);
      // Who arrived last goes on first: some nanoseconds more or less hit the gap between a store
      // and a look.
      for (long left = jitter >>> 57; left >= 0; left--) {
        jitter = jitter * 6364136223846793005L + 1442695040888963407L;
      }
      return goesOn;
    }

    /** After a turn. */
    boolean met(long turn, Turns other) {
      return arrive(2 * turn + 1, other);
    }

    private boolean arrive(long at, Turns other) {
      step.set(at);
      for (int spins = 0; other.step.get() < at && at != OVER; spins++) {
        if (spins % SPINS == SPINS - 1) {
          Thread.yield();
          if (Thread.interrupted()) {
            return false;
          }
        }
        Thread.onSpinWait();
      }
      return other.step.get() != OVER && at != OVER;
    }
  }

  // -- zero copy, end --------------------------------------------------------------------------

  @Test
  public void bytesThatAreNotCopiedArriveOrAreRefused() throws Exception {
    LinkPair pair = link();
    Link from = pair.a().link();
    Link to = pair.b().link();
    int length = (int) from.sendRing().byteSize() / 2;
    pair.b().window().grow(from.sendRing().byteSize());
    byte[] message = message(3, length);
    ByteBuffer source = ByteBuffer.allocateDirect(length + 8).put(8, message);
    if (!from.pushFrom(source, 8, 64, length)) {
      MemorySegment.copy(message, 0, from.sendRing(), ValueLayout.JAVA_BYTE, 64, length);
      from.push(64, length);
    }
    from.publish(ControlLayout.POSITION, length);
    from.awaitTaken();
    assertThat(from.isBroken()).isFalse();
    for (int i = 0; i < source.capacity(); i++) {
      source.put(i, (byte) 0x77); // the program's own again
    }
    from.flush();
    assertBytes(
        "bytes of the program's memory as they were before awaitTaken() returned",
        to.receiveRing().asSlice(64, length),
        message);
  }

  @Test
  public void aReleaseMayBeRepeatedAndLeavesThePeerItsWindow() throws Exception {
    LinkPair pair = link();
    pair.a().link().publish(ControlLayout.POSITION, 42);
    pair.a().link().flush();
    pair.a().link().release();
    pair.a().link().release();
    Link other = pair.b().link();
    assertThat(ControlLayout.getLongAcquire(other.receiveControl(), ControlLayout.POSITION))
        .isEqualTo(42);
    other.publish(ControlLayout.CREDIT, 1);
    other.flush();
    other.release();
  }

  // -- tools -----------------------------------------------------------------------------------

  /** One sentence, and not two rings. */
  static void assertBytes(String what, MemorySegment found, byte[] expected) {
    byte[] bytes = bytes(found);
    int at = Arrays.mismatch(bytes, expected);
    if (at >= 0) {
      throw new AssertionError(
          "%s: byte %d is %d and should be %d".formatted(what, at, bytes[at], expected[at]));
    }
  }

  private static byte[] bytes(MemorySegment segment) {
    return segment.toArray(ValueLayout.JAVA_BYTE);
  }

  private static byte[] message(int salt, int length) {
    byte[] message = new byte[length];
    for (int i = 0; i < length; i++) {
      message[i] = (byte) (i * 7 + salt + (i >> 8));
    }
    return message;
  }

  /** Runs both at the same time; the first failure ends both. */
  private static void race(Callable<Void> one, Callable<Void> other) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Future<Void> a = threads.submit(one);
      Future<Void> b = threads.submit(other);
      long deadline = System.nanoTime() + Patience.DEADLINE.toNanos();
      while (!a.isDone() || !b.isDone()) {
        for (Future<Void> side : List.of(a, b)) {
          if (side.isDone()) {
            side.get();
          }
        }
        assertThat(System.nanoTime() - deadline)
            .as("what was published never arrived: nanoseconds past the deadline")
            .isNegative();
        TimeUnit.MILLISECONDS.sleep(1);
      }
      a.get();
      b.get();
    } finally {
      threads.shutdownNow();
      threads.awaitTermination(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS);
    }
  }
}
