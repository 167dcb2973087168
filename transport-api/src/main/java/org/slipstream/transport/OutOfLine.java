package org.slipstream.transport;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that the JVM's compilers call instead of copying it into its callers.
 *
 * <p>The time that C2 needs for a method grows faster than the method with all that it copies into
 * it, and where several callers in a row are hot, it compiles the same body once with each of them.
 * A program's first seconds are the seconds in which its compilers have all the work. So the
 * methods where a large tree of calls begins, and the rare branches of hot ones, are compiled by
 * themselves, which costs a warm caller a nanosecond or two.
 *
 * <p>The build turns it into the annotation of the JDK's own methods, which the JVM honours in
 * classes of the boot loader: so it works for programs that run with the agent, and means nothing
 * elsewhere.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.CLASS)
public @interface OutOfLine {}
