package org.slipstream.provider.async;

import java.nio.channels.CompletionHandler;
import java.nio.channels.ShutdownChannelGroupException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slipstream.provider.nio.Installation;
import org.slipstream.transport.MemoryShortage;

/**
 * Calls completion handlers, by the JDK's rules: on a thread of the channel's group; directly on
 * the initiating thread only if it is one and not too many handlers are on its stack.
 */
final class Invoker {
  private static final int MAX_ON_STACK =
      Math.max(
          1, Integer.getInteger(Installation.jdkPackage() + ".maxCompletionHandlersOnStack", 16));

  /** A thread of a group, and how many handlers it called since it last came back to its loop. */
  static final class Binding {
    private final Executor group;
    private int depth;

    Binding(Executor group) {
      this.group = group;
    }

    void unwound() {
      depth = 0;
    }
  }

  private static final ThreadLocal<@Nullable Binding> BINDING = new ThreadLocal<>();

  private Invoker() {}

  /** The current thread belongs to the group, which runs tasks on its threads, from now on. */
  static Binding bind(Executor group) {
    Binding binding = new Binding(group);
    BINDING.set(binding);
    return binding;
  }

  private static @Nullable Binding binding(Executor group) {
    Binding b = BINDING.get();
    return b != null && b.group.equals(group) ? b : null;
  }

  /** Whether a handler may be called on the current thread now. */
  static boolean mayInvokeDirect(Executor group) {
    Binding b = binding(group);
    return b != null && b.depth < MAX_ON_STACK;
  }

  /** Calls; the caller knows that this is the right thread. */
  @SuppressWarnings({"unchecked", "NullAway"}) // both come back to the handler they came with
  static void invokeUnchecked(
      CompletionHandler<?, ?> handler,
      @Nullable Object attachment,
      @Nullable Object value,
      @Nullable Throwable failure) {
    CompletionHandler<Object, Object> to = (CompletionHandler<Object, Object>) handler;
    if (failure == null) {
      to.completed(value, attachment);
    } else {
      to.failed(failure, attachment);
    }
    Thread.interrupted(); // what a handler did to its thread is not the next one's business
  }

  /** Calls, after {@link #mayInvokeDirect} said yes. */
  static void invokeDirect(
      CompletionHandler<?, ?> handler,
      @Nullable Object attachment,
      @Nullable Object value,
      @Nullable Throwable failure) {
    Binding b = BINDING.get();
    if (b != null) {
      b.depth++;
    }
    invokeUnchecked(handler, attachment, value, failure);
  }

  /** Calls directly if that is allowed, otherwise through the pool. */
  static void invoke(
      Executor group,
      CompletionHandler<?, ?> handler,
      @Nullable Object attachment,
      @Nullable Object value,
      @Nullable Throwable failure) {
    if (mayInvokeDirect(group)) {
      invokeDirect(handler, attachment, value, failure);
      return;
    }
    try {
      invokeIndirectly(group, handler, attachment, value, failure);
    } catch (ShutdownChannelGroupException e) {
      if (binding(group) == null) {
        throw e;
      }
      invokeDirect(handler, attachment, value, failure); // no other thread is left
    }
  }

  /** Calls on another thread of the group, or later on this one. */
  static void invokeIndirectly(
      Executor group,
      CompletionHandler<?, ?> handler,
      @Nullable Object attachment,
      @Nullable Object value,
      @Nullable Throwable failure) {
    for (int attempt = 1; ; attempt++) {
      try {
        group.execute(() -> {
          Binding b = BINDING.get();
          if (b != null) {
            b.depth = 1;
          }
          invokeUnchecked(handler, attachment, value, failure);
        });
        return;
      } catch (RejectedExecutionException e) {
        throw (ShutdownChannelGroupException) new ShutdownChannelGroupException().initCause(e);
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e); // the program waits for it
      }
    }
  }
}
