package org.slipstream.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class JsonOptionTest {
  @Test
  void pathsOfThisMachineStayHere() {
    assertThat(
            JsonOption.withoutPaths(
                List.of("pages", "--json", "a/b.json", "--clients=1", "--directory=/x", "--check")))
        .containsExactly("pages", "--clients=1", "--check");
    assertThat(JsonOption.withoutPaths(List.of("start", "--json=x"))).containsExactly("start");
  }
}
