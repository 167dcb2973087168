package org.slipstream.benchmarks.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The stress tests of this module, a minute of them; jcstress itself says what was forbidden. */
class QuickRunTest {
  /** On a loaded machine; an idle one needs less than two. */
  private static final int MINUTES = 14;

  private static final Pattern NAME =
      Pattern.compile(Pattern.quote(QuickRun.class.getPackageName() + ".") + "(\\w+\\.[A-Za-z]+)");

  @Test
  @Timeout(value = MINUTES + 1, unit = TimeUnit.MINUTES)
  void nothingForbiddenHappens() throws Exception {
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    String printed =
        QuickRun.run(classPath, Path.of("target", "jcstress").toAbsolutePath(), MINUTES);
    for (String test : tests()) {
      assertThat(printed).as("what jcstress ran").contains(test);
    }
  }

  /** Each of the orders on which streams and memory rest has its tests. */
  @Test
  void ringArmingSwitchCloseLockInterestAndMemoryAreCovered() throws Exception {
    assertThat(tests())
        .extracting(name -> name.substring(0, name.indexOf('.')))
        .contains(
            "VisibilityStress",
            "ArmingStress",
            "CreditStress",
            "SwitchStress",
            "CloseStress",
            "LockStress",
            "JoinAgainStress",
            "UrgentStress",
            "FutexStress",
            "InterestStress",
            "MemoryStress");
  }

  /**
   * The names in the list that jcstress's annotation processor wrote, such as {@code Outer.Nested},
   * each behind its length.
   */
  private static List<String> tests() throws IOException {
    try (InputStream list =
        Objects.requireNonNull(QuickRun.class.getResourceAsStream("/META-INF/TestList"))) {
      return new String(list.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(NAME::matcher)
          .filter(Matcher::find)
          .map(m -> m.group(1))
          .toList();
    }
  }
}
