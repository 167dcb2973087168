package org.slipstream.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.stream.Stream;

class UncountedTest {
  /** If a counter moves elsewhere, this fails, and the benchmark would measure nothing. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "stream/DirectionCounters",
        "stream/Readiness",
        "stream/ControlParser",
        "stream/CreditWait",
        "wait/Spinner"
      })
  void noCounterIsStoredToAndTheClassIsValid(String name) throws IOException {
    ClassLoader loader = Stream.class.getClassLoader();
    ClassFile classes = Uncounted.classFile(loader);
    ClassModel counted;
    try (InputStream in = loader.getResourceAsStream("org/slipstream/core/" + name + ".class")) {
      counted = classes.parse(in.readAllBytes());
    }

    byte[] uncounted = Uncounted.withoutStores(classes, counted);

    assertThat(Uncounted.stores(counted)).isPositive();
    assertThat(Uncounted.stores(classes.parse(uncounted))).isZero();
    assertThat(classes.verify(uncounted)).isEmpty();
  }
}
