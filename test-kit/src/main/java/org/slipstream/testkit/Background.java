package org.slipstream.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A call on a thread of its own, usually one that is expected to block. Every wait for it has a
 * deadline, so that a lost wake-up is a failed test and not a hung build.
 *
 * @param <T> what the call returns
 */
public final class Background<T extends @Nullable Object> {

  /** How long anything that must happen may take. */
  public static final Duration DEADLINE = Patience.DEADLINE;

  private static final String TEST_KIT = Background.class.getPackageName();
  private static final int STILL_SAMPLES = 6;
  private static final Duration SAMPLE_EVERY = Duration.ofMillis(10);

  private final FutureTask<T> task;
  private final Thread thread;
  // Written by the thread before the task completes, read after that.
  private volatile boolean interruptedAtEnd;

  private Background(ThreadKind kind, Callable<T> call) {
    this.task =
        new FutureTask<>(() -> {
          try {
            return call.call();
          } finally {
            interruptedAtEnd = Thread.currentThread().isInterrupted();
          }
        });
    this.thread = kind.start(task);
  }

  /** A call that may throw anything and returns nothing. */
  @FunctionalInterface
  public interface Action {
    /** Does it. */
    void run() throws Exception;
  }

  /** Starts a call on a platform thread. */
  public static <T extends @Nullable Object> Background<T> call(Callable<T> call) {
    return call(ThreadKind.PLATFORM, call);
  }

  /** Starts a call on a thread of the given kind. */
  public static <T extends @Nullable Object> Background<T> call(ThreadKind kind, Callable<T> call) {
    return new Background<>(kind, call);
  }

  /** Starts an action on a platform thread. */
  public static Background<@Nullable Void> run(Action action) {
    return run(ThreadKind.PLATFORM, action);
  }

  /** Starts an action on a thread of the given kind. */
  public static Background<@Nullable Void> run(ThreadKind kind, Action action) {
    return Background.<@Nullable Void>call(
        kind,
        () -> {
          action.run();
          return null;
        });
  }

  /**
   * Waits until the thread has been inside a call of other code for a while: the JDK's or the
   * carrier's. A thread that spins there counts as blocked.
   */
  public Background<T> awaitBlocked() throws InterruptedException {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    int still = 0;
    while (still < STILL_SAMPLES) {
      if (task.isDone()) {
        throw new AssertionError("The call should block, but it has ended: " + outcome());
      }
      if (System.nanoTime() > deadline) {
        throw new AssertionError("The call has not even begun on " + thread);
      }
      still = isInsideForeignCode() ? still + 1 : 0;
      Thread.sleep(SAMPLE_EVERY);
    }
    return this;
  }

  /** Whether the call has ended, one way or another. */
  public boolean isDone() {
    return task.isDone();
  }

  /** The thread of the call. */
  public Thread thread() {
    return thread;
  }

  /** Waits for the result; fails if there is an exception or nothing before the deadline. */
  public T result() throws InterruptedException {
    try {
      return task.get(DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError("The call failed: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw stuck(e);
    }
  }

  /**
   * Waits until all calls have ended. The first failure is thrown at once: what fails leaves its
   * peers waiting, and their deadline would say nothing of the cause.
   */
  public static void awaitAll(Collection<? extends Background<?>> calls)
      throws InterruptedException {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    List<Background<?>> left = new ArrayList<>(calls);
    while (!left.isEmpty()) {
      for (Iterator<Background<?>> each = left.iterator(); each.hasNext(); ) {
        Background<?> one = each.next();
        if (one.isDone()) {
          one.result();
          each.remove();
        } else if (System.nanoTime() > deadline) {
          throw one.stuck(new TimeoutException());
        }
      }
      Thread.sleep(SAMPLE_EVERY);
    }
  }

  /** Fails if one of the calls has ended, with what it threw. */
  public static void requireGoingOn(Collection<? extends Background<?>> calls) {
    for (Background<?> one : calls) {
      if (one.task.isDone()) {
        Throwable cause = one.task.state() == Future.State.FAILED ? one.task.exceptionNow() : null;
        throw new AssertionError("The call should go on, but " + one.outcome(), cause);
      }
    }
  }

  /** Waits for the exception; fails if there is a result or nothing before the deadline. */
  public Throwable failure() throws InterruptedException {
    try {
      T value = task.get(DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
      throw new AssertionError("The call should fail, but returned " + value);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      return cause == null ? e : cause;
    } catch (TimeoutException e) {
      throw stuck(e);
    }
  }

  /** Whether the interrupt status was set when the call ended. */
  public boolean endedInterrupted() {
    return interruptedAtEnd;
  }

  private boolean isInsideForeignCode() {
    StackTraceElement[] stack = thread.getStackTrace();
    if (stack.length == 0 || isOurs(stack[0])) {
      return false;
    }
    for (StackTraceElement frame : stack) {
      if (isOurs(frame)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOurs(StackTraceElement frame) {
    return frame.getClassName().startsWith(TEST_KIT);
  }

  private String outcome() {
    return switch (task.state()) {
      case SUCCESS -> "it returned " + task.resultNow();
      case FAILED -> "it threw " + task.exceptionNow();
      default -> task.state().toString();
    };
  }

  private AssertionError stuck(TimeoutException cause) {
    AssertionError error =
        new AssertionError("The call on " + thread + " has not ended in " + DEADLINE, cause);
    error.setStackTrace(thread.getStackTrace());
    return error;
  }
}
