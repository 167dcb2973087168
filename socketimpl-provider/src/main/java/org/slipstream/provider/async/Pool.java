package org.slipstream.provider.async;

import java.lang.reflect.InvocationTargetException;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import org.jspecify.annotations.Nullable;

/**
 * The threads of a group, by the JDK's rules.
 *
 * @param executor runs workers and, unless fixed, handlers
 * @param fixed whether workers are all the threads there are
 * @param size workers to be started
 */
record Pool(ExecutorService executor, boolean fixed, int size) {
  private static final String FACTORY = "java.nio.channels.DefaultThreadPool.threadFactory";
  private static final String INITIAL_SIZE = "java.nio.channels.DefaultThreadPool.initialSize";

  /** The pool of the default group, as two properties of the JDK say. */
  static Pool standard() {
    int size = initialSize();
    ThreadFactory factory = factory();
    return new Pool(
        Executors.newCachedThreadPool(factory == null ? Pool::daemon : factory),
        false,
        size < 0 ? Runtime.getRuntime().availableProcessors() : size);
  }

  static Pool fixed(int threads, ThreadFactory factory) {
    if (threads <= 0) {
      throw new IllegalArgumentException("'nThreads' must be > 0");
    }
    return new Pool(Executors.newFixedThreadPool(threads, factory), true, threads);
  }

  static Pool wrap(ExecutorService executor, int initialSize) {
    Objects.requireNonNull(executor, "'executor' is null");
    int size = Math.max(0, initialSize);
    if (executor instanceof ThreadPoolExecutor pool
        && pool.getMaximumPoolSize() == Integer.MAX_VALUE) {
      // As in the JDK: a cached pool has its own idea of how many threads it wants.
      size = initialSize < 0 ? Runtime.getRuntime().availableProcessors() : 0;
    }
    return new Pool(executor, false, size);
  }

  /** A thread that programs do not see: no loader of theirs, and it keeps no JVM alive. */
  static Thread daemon(Runnable task) {
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("slipstream-async-", 0)
            .inheritInheritableThreadLocals(false)
            .unstarted(task);
    thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
    return thread;
  }

  private static int initialSize() {
    String value = System.getProperty(INITIAL_SIZE);
    try {
      return value == null ? -1 : Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new Error("Value of property '" + INITIAL_SIZE + "' is invalid: " + e, e);
    }
  }

  private static @Nullable ThreadFactory factory() {
    String name = System.getProperty(FACTORY);
    if (name == null) {
      return null;
    }
    try {
      return Class.forName(name, true, ClassLoader.getSystemClassLoader())
          .asSubclass(ThreadFactory.class)
          .getDeclaredConstructor()
          .newInstance();
    } catch (InvocationTargetException e) {
      throw new Error(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new Error(e);
    }
  }
}
