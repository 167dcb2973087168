package org.slipstream.transport;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What callers may rely on. Each package that is exported to every module has it; on a type it says
 * what differs from its package. A test compares the public signatures of these packages with a
 * stored list, so that no change goes unnoticed.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.PACKAGE, ElementType.TYPE})
public @interface Stability {
  /** How long signatures and their meaning stay as they are. */
  enum Level {
    /** Until the next major version. */
    STABLE,
    /** May change with each minor version; the changelog says how. */
    EVOLVING,
    /** Public for other parts of Slipstream only; may change with each build. */
    INTERNAL
  }

  /**
   * The promise.
   *
   * @return the level
   */
  Level value();
}
