package org.slipstream.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @Test
  void readsAllKindsOfValues() {
    assertThat(
            Json.parse(" {\"a\" : [1, -2.5e1, true, false, null, \"x\\\"\\u0041\\n\"], \"b\":{}} "))
        .isEqualTo(
            Map.of("a", List.of(1L, -25.0, true, false, Json.NULL, "x\"A\n"), "b", Map.of()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[1,]",
        "{\"a\":1,}",
        "{\"a\"}",
        "\"x",
        "1 2",
        "nul",
        "-",
        "[1 2]",
        "\"\\u00"
      })
  void refusesWhatIsNone(String text) {
    assertThatThrownBy(() -> Json.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("this is no JSON, at character");
  }
}
