package org.slipstream.core.wait;

/**
 * Counts how often the kernel has given the core of a thread to another one: what a long yield
 * alone does not say, as the host of a virtual machine takes cores away, too.
 */
@FunctionalInterface
public interface ThreadSwitches {
  /** Not known. */
  long UNKNOWN = 0;

  /**
   * How often another thread got the core of the calling thread although that could have gone on.
   *
   * @return since the thread began, or {@link #UNKNOWN}; some hundred nanoseconds later, and
   *     without an allocation
   */
  long ofThisThread();
}
