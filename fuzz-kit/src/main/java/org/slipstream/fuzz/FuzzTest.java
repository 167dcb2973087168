package org.slipstream.fuzz;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A test that runs a {@link Fuzzer}: as long as it is told, so no other timeout ends it. All of
 * them: {@code -Dgroups=fuzz}.
 */
@Test
@Tag("fuzz")
@Timeout(value = 1, unit = TimeUnit.DAYS)
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface FuzzTest {}
