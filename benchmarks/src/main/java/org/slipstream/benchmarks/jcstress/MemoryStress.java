package org.slipstream.benchmarks.jcstress;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.J_Result;
import org.slipstream.memory.CheckedRecord;

/** What queues of one-sided memory promise where two processes meet, over shared memory. */
public class MemoryStress {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private MemoryStress() {}

  /** A word of 8 bytes. */
  @JCStressTest
  @Outcome(
      id = {"0", "-1"},
      expect = Expect.ACCEPTABLE,
      desc = "All of a write, or none.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A torn word.")
  @State
  public static class Word {
    private final long at = SharedRegion.place();
    private final SharedRegion.Actor first = new SharedRegion.Actor();
    private final SharedRegion.Actor second = new SharedRegion.Actor();

    /** Writes. */
    @Actor
    public void writer() {
      first.write(at, -1L);
    }

    /** Reads. */
    @Actor
    public void reader(J_Result r) {
      r.r1 = second.read(at);
    }
  }

  /** A word of 4 bytes in the middle of two. */
  @JCStressTest
  @Outcome(
      id = {"0", "-1"},
      expect = Expect.ACCEPTABLE,
      desc = "All of a write, or none.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A torn word.")
  @State
  public static class HalfWord {
    private final long at = SharedRegion.place() + Integer.BYTES;
    private final SharedRegion.Actor first = new SharedRegion.Actor();
    private final SharedRegion.Actor second = new SharedRegion.Actor();
    private final MemorySegment from = MemorySegment.ofArray(new int[] {-1});
    private final MemorySegment into = MemorySegment.ofArray(new int[1]);

    /** Writes. */
    @Actor
    public void writer() {
      first.write(at, from);
    }

    /** Reads. */
    @Actor
    public void reader(J_Result r) {
      second.read(at, into);
      r.r1 = into.get(ValueLayout.JAVA_INT, 0);
    }
  }

  /** Two writes of one queue, two reads of another. */
  @JCStressTest
  @Outcome(
      id = {"0, 0", "0, 1", "1, 1"},
      expect = Expect.ACCEPTABLE,
      desc = "In the order of the queue.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "The second write was seen, and the first was not.")
  @State
  public static class Order {
    private final long at = SharedRegion.place();
    private final SharedRegion.Actor first = new SharedRegion.Actor();
    private final SharedRegion.Actor second = new SharedRegion.Actor();

    /** Writes the one and then the other. */
    @Actor
    public void writer() {
      first.write(at, 1);
      first.write(at + 128, 1);
    }

    /** Reads the other way round. */
    @Actor
    public void reader(JJ_Result r) {
      r.r1 = second.read(at + 128);
      r.r2 = second.read(at);
    }
  }

  /** A message of 64 bytes, and the word behind it in the queue that says that it is there. */
  @JCStressTest
  @Outcome(
      id = {"0, 0", "0, -8", "1, -8"},
      expect = Expect.ACCEPTABLE,
      desc = "In order.")
  @Outcome(id = "0, .*", expect = Expect.ACCEPTABLE, desc = "A part, which nothing has promised.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "The word was seen before all of the message.")
  @State
  public static class Message {
    private final long at = SharedRegion.place();
    private final SharedRegion.Actor first = new SharedRegion.Actor();
    private final SharedRegion.Actor second = new SharedRegion.Actor();
    private final MemorySegment from = MemorySegment.ofArray(filled());
    private final MemorySegment into = MemorySegment.ofArray(new long[8]);

    private static long[] filled() {
      long[] words = new long[8];
      Arrays.fill(words, -1);
      return words;
    }

    /** Writes both. */
    @Actor
    public void writer() {
      first.write(at, from);
      first.write(at + 128, 1);
    }

    /** Reads the word, then the message. */
    @Actor
    public void reader(JJ_Result r) {
      r.r1 = second.read(at + 128);
      second.read(at, into);
      for (int i = 0; i < 8; i++) {
        r.r2 += into.getAtIndex(LONG, i);
      }
    }
  }

  /** A flush between a write and a read of another place, in both processes. */
  @JCStressTest
  @Outcome(
      id = {"0, 1", "1, 0", "1, 1"},
      expect = Expect.ACCEPTABLE,
      desc = "One was first.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Both reads went before both writes.")
  @State
  public static class Flush {
    private final long at = SharedRegion.place();
    private final SharedRegion.Actor first = new SharedRegion.Actor();
    private final SharedRegion.Actor second = new SharedRegion.Actor();

    /** Writes the one and reads the other. */
    @Actor
    public void one(JJ_Result r) {
      first.write(at, 1);
      first.flush();
      r.r1 = first.read(at + 128);
    }

    /** The other way round. */
    @Actor
    public void other(JJ_Result r) {
      second.write(at + 128, 1);
      second.flush();
      r.r2 = second.read(at);
    }
  }

  /** Two additions. */
  @JCStressTest
  @Outcome(
      id = {"0, 1, 2", "1, 0, 2"},
      expect = Expect.ACCEPTABLE,
      desc = "One after the other.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "An addition was lost.")
  @State
  public static class Addition {
    private final long at = SharedRegion.place();
    private final SharedRegion.Actor first = new SharedRegion.Actor();
    private final SharedRegion.Actor second = new SharedRegion.Actor();

    /** Adds. */
    @Actor
    public void one(JJJ_Result r) {
      r.r1 = first.fetchAdd(at, 1);
    }

    /** Adds, too. */
    @Actor
    public void other(JJJ_Result r) {
      r.r2 = second.fetchAdd(at, 1);
    }

    /** What came of it. */
    @Arbiter
    public void sum(JJJ_Result r) {
      r.r3 = first.read(at);
    }
  }

  /** Two comparisons with the same expected value. */
  @JCStressTest
  @Outcome(
      id = {"0, 1, 1", "2, 0, 2"},
      expect = Expect.ACCEPTABLE,
      desc = "One has set it.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "Both have set it, or none.")
  @State
  public static class Comparison {
    private final long at = SharedRegion.place();
    private final SharedRegion.Actor first = new SharedRegion.Actor();
    private final SharedRegion.Actor second = new SharedRegion.Actor();

    /** Sets it to one. */
    @Actor
    public void one(JJJ_Result r) {
      r.r1 = first.compareAndSet(at, 0, 1);
    }

    /** Sets it to two. */
    @Actor
    public void other(JJJ_Result r) {
      r.r2 = second.compareAndSet(at, 0, 2);
    }

    /** What came of it. */
    @Arbiter
    public void value(JJJ_Result r) {
      r.r3 = first.read(at);
    }
  }

  /** A checked record of 64 bytes that is written anew. */
  @JCStressTest
  @Outcome(
      id = {"1, 7", "2, -7"},
      expect = Expect.ACCEPTABLE,
      desc = "One of the two.")
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Torn, and it says so.")
  @Outcome(expect = Expect.FORBIDDEN, desc = "A torn record that says it is whole.")
  @State
  public static class Checked {
    private static final int PAYLOAD = 48;

    private final long at = SharedRegion.place();
    private final SharedRegion.Actor first = new SharedRegion.Actor();
    private final SharedRegion.Actor second = new SharedRegion.Actor();
    private final MemorySegment from = record(2, -7);
    private final MemorySegment into =
        MemorySegment.ofArray(new byte[(int) CheckedRecord.bytesFor(PAYLOAD)]);

    /** Has the first version. */
    public Checked() {
      first.write(at, record(1, 7));
    }

    private static MemorySegment record(long version, int value) {
      MemorySegment record = MemorySegment.ofArray(new byte[(int) CheckedRecord.bytesFor(PAYLOAD)]);
      CheckedRecord.payload(record, PAYLOAD).fill((byte) value);
      CheckedRecord.seal(record, version);
      return record;
    }

    /** Writes the second version. */
    @Actor
    public void writer() {
      first.write(at, from);
    }

    /** Reads once. */
    @Actor
    public void reader(JJ_Result r) {
      second.read(at, into);
      if (CheckedRecord.isWhole(into)) {
        MemorySegment value = CheckedRecord.payload(into, PAYLOAD);
        byte one = value.get(ValueLayout.JAVA_BYTE, 0);
        r.r1 = CheckedRecord.version(into);
        r.r2 = one;
        for (int i = 0; i < PAYLOAD; i++) {
          if (value.get(ValueLayout.JAVA_BYTE, i) != one) {
            r.r2 = i;
          }
        }
      }
    }
  }
}
