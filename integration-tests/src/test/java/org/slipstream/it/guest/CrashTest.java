package org.slipstream.it.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is kept of a JVM that crashed in a guest. */
class CrashTest {
  private static final String REPORT =
      """
      # A fatal error has been detected by the Java Runtime Environment:
      #
      #  SIGSEGV (0xb) at pc=0x1, pid=1, tid=2
      # Problematic frame:
      # j  java.lang.Object.wait0
      ---------------  S U M M A R Y ------------
      Command Line: java
      ---------------  T H R E A D  ---------------
      Current thread (0x1):  JavaThread "main"
      ---------------  P R O C E S S  ---------------
      a thousand maps
      ---------------  S Y S T E M  ---------------
      MemTotal: 1498056 kB
      END.
      """;

  @Test
  void ofACrashTheThreadIsKeptAndNotTheMachine() {
    assertThat(Crash.shortened("1 a test\n" + REPORT))
        .startsWith("1 a test\n# A fatal error")
        .contains("SIGSEGV", "JavaThread \"main\"")
        .doesNotContain("maps", "MemTotal", "END.");
    assertThat(Crash.shortened("1 a test\n")).isEqualTo("1 a test\n");
  }

  @Test
  void aLongStackIsCut() {
    String stack =
        IntStream.range(0, 1_000).mapToObj(i -> "frame " + i + "\n").collect(Collectors.joining());
    assertThat(Crash.shortened(REPORT.replace("a thousand maps", "").replace("Current", stack)))
        .contains("frame 0\n")
        .doesNotContain("frame 999");
  }

  @Test
  void onlyACrashBeforeTheTestsSaysNothingAboutThem() {
    assertThat(Crash.beforeTests(REPORT)).isTrue();
    assertThat(Crash.beforeTests(Crash.TESTS_BEGIN + "\n" + REPORT)).isFalse();
    assertThat(Crash.beforeTests("Error: no such class\n")).isFalse();
    assertThat(Crash.beforeTests("")).isFalse();
  }
}
