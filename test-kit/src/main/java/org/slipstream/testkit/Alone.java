package org.slipstream.testkit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * A test class that no other one runs beside, because it needs the machine, or something of which
 * there is one, for itself. All others run side by side, each in a JVM that it shares with the
 * classes before it: they use directories of their own, ports that the kernel chooses, and
 * namespaces that they make.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Tag(Alone.TAG)
public @interface Alone {
  /** What the build's two executions are divided by. */
  String TAG = "alone";

  /**
   * Why.
   *
   * @return what it needs for itself
   */
  String value();
}
