package org.slipstream.testkit;

/** The two kinds of threads that a program may block on. */
public enum ThreadKind {
  /** An operating system thread. */
  PLATFORM,
  /** A thread that gives its carrier back while it waits. */
  VIRTUAL;

  /** Starts a thread of this kind, one that never keeps the JVM alive. */
  public Thread start(Runnable body) {
    return switch (this) {
      case PLATFORM -> Thread.ofPlatform().daemon().name("conformance").start(body);
      case VIRTUAL -> Thread.ofVirtual().name("conformance-virtual").start(body);
    };
  }
}
