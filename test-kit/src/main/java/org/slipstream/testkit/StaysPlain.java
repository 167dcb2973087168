package org.slipstream.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The streams of this test do not have to use the ring in a row that wants every stream there: they
 * can not, or the test is about the plain path. Such a row does not count them ({@link RingShare}).
 */
@Inherited
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface StaysPlain {

  /** Why. */
  String value();
}
