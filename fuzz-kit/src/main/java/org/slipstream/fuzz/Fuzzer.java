package org.slipstream.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slipstream.fuzz.Corpus.Entry;
import org.slipstream.fuzz.Corpus.Expectation;

/**
 * Feeds a parser with foreign bytes for some time: first the corpus, then what mutation makes of
 * it. A run fails if
 *
 * <ul>
 *   <li>an exception comes out that was not declared, or an {@link Error}, an assertion of the
 *       target among them;
 *   <li>an input takes longer than a minute ({@code -Dslipstream.test.patience} multiplies that);
 *   <li>an input makes the calling thread allocate more than was said;
 *   <li>an input of the corpus is not accepted, or not refused, as it should be; or a place that
 *       was named is reached by no accepted input of the corpus: then mutants would be junk.
 * </ul>
 *
 * <p>The failing input is made shorter and printed as a line for the corpus. {@value #SEED} repeats
 * a run; {@value #SECONDS} says how long it takes: a moment by default, and longer where the
 * environment says {@code CI=true}. However short that is and however slow the machine, some
 * hundred mutants are taken.
 *
 * <p>Where a fuzzer that failed runs again in the same JVM, because CI gives every failing test a
 * second chance, it takes the failing input first and then repeats the run: what was found once is
 * found again, and no build calls it a flake.
 */
public final class Fuzzer {
  /** The property that repeats a run. */
  public static final String SEED = "test.seed";

  /** The property that says how long each fuzzer mutates, in seconds. */
  public static final String SECONDS = "test.fuzz.seconds";

  private static final double MOMENT = 1;
  private static final double IN_CI = 5;
  private static final long PATIENCE_NS =
      60_000_000_000L * Integer.getInteger("slipstream.test.patience", 1);
  private static final long SHRINK_NS = 10_000_000_000L;
  private static final int MOST_KEPT = 1_000;
  private static final int FEWEST_MUTANTS = 500;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** What failed in this JVM, by the corpus and the class of the target. */
  private static final Map<String, Found> FOUND = new ConcurrentHashMap<>();

  private final Corpus corpus;
  private final List<Class<? extends Exception>> declared = new ArrayList<>();
  private final Set<String> places = new HashSet<>();
  private int head;
  private int record = 1;
  private int longest = 4096;
  private long allocation = 1 << 20;
  private int fewest = FEWEST_MUTANTS;

  /** Ways of inputs that were seen, and the inputs that were the first on each. Worker only. */
  private final Set<String> ways = new HashSet<>();

  private final List<byte[]> pool = new ArrayList<>();
  private final Map<String, Long> reached = new TreeMap<>();
  private long inputs;
  private long accepted;

  /**
   * The input that is being taken, and since when. Written by the worker, read by the thread that
   * waits.
   */
  private volatile byte[] current = {};

  private volatile long since;

  /** Written by the worker before the failure, and read after it. */
  private byte[] failed = {};

  private volatile @Nullable Throwable failure;

  /** A run that failed, and the input that it failed with. */
  private static final class Found {
    final long seed;
    final byte[] input;

    Found(long seed, byte[] input) {
      this.seed = seed;
      this.input = input;
    }
  }

  private Fuzzer(Corpus corpus) {
    this.corpus = corpus;
  }

  /**
   * Begins with the seeds in {@code fuzz/NAME.hex} of the test's resources.
   *
   * @param name of the parser
   * @return a fuzzer that no exception may leave
   */
  public static Fuzzer hex(String name) {
    return new Fuzzer(Corpus.hex(name));
  }

  /**
   * Begins with the seeds in {@code fuzz/NAME.txt} of the test's resources.
   *
   * @param name of the parser
   * @return a fuzzer that no exception may leave
   */
  public static Fuzzer text(String name) {
    return new Fuzzer(Corpus.text(name));
  }

  /**
   * Declares what the parser throws at an input that it refuses.
   *
   * @param type and its subclasses
   * @return this
   */
  public Fuzzer refusing(Class<? extends Exception> type) {
    declared.add(type);
    return this;
  }

  /**
   * Places that accepted inputs of the corpus must reach, or its mutants are junk.
   *
   * @param names as said to {@link Trace#reached}
   * @return this
   */
  public Fuzzer reaching(String... names) {
    places.addAll(List.of(names));
    return this;
  }

  /**
   * Inputs are records of one length behind a head: mutation moves whole records.
   *
   * @param headBytes before the first record
   * @param recordBytes of each
   * @return this
   */
  public Fuzzer records(int headBytes, int recordBytes) {
    this.head = headBytes;
    this.record = recordBytes;
    return this;
  }

  /**
   * Limits the length of inputs.
   *
   * @param bytes of the longest; 4096 unless said
   * @return this
   */
  public Fuzzer longest(int bytes) {
    this.longest = bytes;
    return this;
  }

  /**
   * Limits what the calling thread may allocate for one input.
   *
   * @param bytes a mebibyte unless said; 64 for each byte of input are added
   * @return this
   */
  public Fuzzer allocating(long bytes) {
    this.allocation = bytes;
    return this;
  }

  /**
   * Says how many mutants a run takes, even if its time is over: of a parser that is slow, fewer.
   *
   * @param mutants at least; 500 unless said
   * @return this
   */
  public Fuzzer atLeast(int mutants) {
    this.fewest = mutants;
    return this;
  }

  /**
   * Runs, and prints what was done.
   *
   * @param target the parser
   * @return how many inputs were taken
   * @throws AssertionError with the input that failed
   */
  public long run(Target target) {
    String name = corpus.file() + " " + target.getClass().getName();
    Found found = FOUND.get(name);
    long seed = seed(found);
    double seconds = seconds();
    since = System.nanoTime();
    Thread worker = new Thread(() -> work(target, seed, seconds, found), "fuzz " + corpus.file());
    worker.setDaemon(true);
    worker.start();
    try {
      await(worker, seed);
    } catch (AssertionError hang) {
      FOUND.put(name, new Found(seed, current));
      throw hang;
    }
    Throwable f = failure;
    if (f != null) {
      FOUND.put(name, new Found(seed, failed));
      throw new AssertionError(
          corpus.file() + ", -D" + SEED + "=" + seed + ": " + f.getMessage(), f);
    }
    System.out.printf(
        "%s: %,d inputs in %.1f s, %,d of them accepted; %,d ways; -D%s=%d; reached %s%n",
        corpus.file(), inputs, seconds, accepted, ways.size(), SEED, seed, reached);
    return inputs;
  }

  private static long seed(@Nullable Found found) {
    Long fixed = Long.getLong(SEED);
    if (fixed != null) {
      return fixed;
    }
    return found != null ? found.seed : new SecureRandom().nextLong();
  }

  private static double seconds() {
    String told = System.getProperty(SECONDS);
    if (told != null) {
      return Double.parseDouble(told);
    }
    return "true".equals(System.getenv("CI")) ? IN_CI : MOMENT;
  }

  /** Waits for the worker, as long as it gets on. */
  private void await(Thread worker, long seed) {
    try {
      while (!worker.join(java.time.Duration.ofMillis(20))) {
        long began = since;
        byte[] input = current;
        if (System.nanoTime() - began > PATIENCE_NS && began == since) {
          AssertionError hang =
              new AssertionError(
                  corpus.file()
                      + ", -D"
                      + SEED
                      + "="
                      + seed
                      + ": an input takes too long:\n"
                      + corpus.line(input));
          hang.setStackTrace(worker.getStackTrace());
          throw hang;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  // -- the worker ------------------------------------------------------------------------------

  private void work(Target target, long seed, double seconds, @Nullable Found found) {
    try {
      takeCorpus(target);
      if (found != null) {
        takeMutant(target, found.input, false);
      }
      Mutator mutator = new Mutator(seed, head, record, longest);
      long deadline = System.nanoTime() + (long) (seconds * 1e9);
      for (int i = 0; i < fewest || System.nanoTime() - deadline < 0; i++) {
        takeMutant(target, mutator.next(pool), true);
      }
    } catch (Throwable e) {
      failure = e;
    }
  }

  private void takeMutant(Target target, byte[] input, boolean learning) {
    Trace trace = new Trace();
    Throwable wrong = take(target, input, trace, allocation);
    if (wrong != null) {
      failed = input;
      throw wrong(target, input, wrong);
    }
    if (learning) {
      learn(input, trace);
    }
  }

  private void takeCorpus(Target target) {
    Set<String> missing = new HashSet<>(places);
    for (Entry entry : corpus.entries()) {
      Trace trace = new Trace();
      Throwable wrong = take(target, entry.bytes(), trace, Long.MAX_VALUE); // classes are loaded
      String refusal = trace.refusal();
      if (wrong == null && entry.expectation() == Expectation.ACCEPTED && refusal != null) {
        wrong = new AssertionError("should be accepted: " + refusal);
      } else if (wrong == null && entry.expectation() == Expectation.REFUSED && refusal == null) {
        wrong = new AssertionError("should be refused: " + trace.way());
      }
      if (wrong != null) {
        throw new AssertionError("line " + entry.line() + ": " + wrong, wrong);
      }
      if (trace.isAccepted()) {
        missing.removeAll(trace.places());
      }
      learn(entry.bytes(), trace);
    }
    if (!missing.isEmpty()) {
      throw new AssertionError("no accepted input of the corpus reaches " + missing);
    }
  }

  /** Returns what is wrong, or null. */
  private @Nullable Throwable take(Target target, byte[] input, Trace trace, long most) {
    current = input;
    since = System.nanoTime();
    long before = THREADS.getCurrentThreadAllocatedBytes();
    try {
      target.take(input.clone(), trace);
    } catch (Exception e) {
      if (declared.stream().noneMatch(type -> type.isInstance(e))) {
        return e;
      }
      trace.threw(e);
    } catch (Error e) {
      return e;
    }
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    return allocated - 64L * input.length > most
        ? new AssertionError("bytes were allocated: " + allocated)
        : null;
  }

  private void learn(byte[] input, Trace trace) {
    inputs++;
    if (trace.isAccepted()) {
      accepted++;
    }
    for (String place : trace.places()) {
      reached.merge(place, 1L, Long::sum);
    }
    if (pool.size() < MOST_KEPT && ways.add(trace.way())) {
      pool.add(input);
    }
  }

  private AssertionError wrong(Target target, byte[] input, Throwable wrong) {
    String kind = kind(wrong);
    byte[] shorter =
        new Shrinker(
                candidate -> {
                  Throwable again = take(target, candidate, new Trace(), allocation);
                  return again != null && kind(again).equals(kind);
                },
                SHRINK_NS)
            .shrink(input);
    return new AssertionError(
        "input "
            + inputs
            + ": "
            + wrong
            + "\n"
            + input.length
            + " bytes, shortened to "
            + shorter.length
            + "; a line for the corpus:\n"
            + corpus.line(shorter),
        wrong);
  }

  /** Where and what; digits do not count. */
  private static String kind(Throwable wrong) {
    String message = Objects.requireNonNullElse(wrong.getMessage(), "");
    StackTraceElement[] stack = wrong.getStackTrace();
    String first = message.lines().findFirst().orElse("").replaceAll("[0-9]+", "#");
    return wrong.getClass() + first + (stack.length == 0 ? "" : stack[0]);
  }
}
