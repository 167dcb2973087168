package org.slipstream.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class PsTest {
  @Test
  void knowsWhichProcessesAnsweredAndWhichDidNot() throws Exception {
    Ps ps =
        Ps.parse(
            "{\"processes\":[{\"pid\":12,\"program\":\"A\",\"streams\":[{\"local\":\"a:1\"},"
                + "{\"local\":\"a:2\"}]},{\"pid\":13,\"program\":\"B\",\"streams\":[]},"
                + "{\"pid\":14,\"program\":\"C\",\"ringBytesOut\":3}],\"silent\":[7,0]}\n");
    assertThat(ps.said()).containsOnlyKeys(12L, 13L, 14L);
    assertThat(ps.said().get(12L)).contains("a:1", "a:2").doesNotContain("\"B\"");
    assertThat(ps.said().get(14L)).endsWith("\"ringBytesOut\":3}");
    assertThat(ps.silent()).containsExactly(7L, 0L);
    assertThat(ps.lists(12)).isTrue();
    assertThat(ps.lists(7)).isTrue();
    assertThat(ps.lists(1)).isFalse();
  }

  @Test
  void noProcessIsAnAnswerAndNothingIsNone() throws Exception {
    assertThat(Ps.parse("{\"processes\":[],\"silent\":[]}").lists(1)).isFalse();
    assertThatThrownBy(() -> Ps.parse("")).isInstanceOf(IOException.class);
  }
}
