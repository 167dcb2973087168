package org.slipstream.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.slipstream.core.api.Counter;
import org.slipstream.core.api.StreamStatus;

/** A counter is one constant: the views are made of it, and the docs name it. */
class CounterTest {
  private static final Path TOOLS = Path.of("../docs/TOOLS.md");

  @Test
  void theDocumentsHaveARowForEachCounter() throws Exception {
    assertThat(Files.readString(TOOLS))
        .contains(Arrays.stream(Counter.values()).map(CounterTest::row).toList());
  }

  private static String row(Counter counter) {
    String names =
        Total.ALL.stream()
            .filter(total -> total.counter() == counter)
            .map(total -> "`" + total.name() + "`")
            .collect(Collectors.joining(", "));
    String[] meter = counter.meter().split(",", 2);
    String tags = meter.length == 1 ? "" : "`" + meter[1] + "`";
    if (counter.kind() == Counter.Kind.EACH_WAY) {
      tags += (tags.isEmpty() ? "" : ", ") + "`direction`";
    }
    return "| `%s` | %s | %s | %s |\n"
        .formatted(
            counter,
            names.isEmpty() ? "–" : names,
            meter[0].isEmpty() ? "–" : ("`slipstream." + meter[0] + "` " + tags).strip(),
            counter.help());
  }

  @Test
  void aStreamCountsAllThatADirectionHas() throws Exception {
    try (Bench b = Bench.client()) {
      b.stream.write(ByteBuffer.allocate(5), true);
      StreamStatus status = b.stream.status();
      assertThat(status.out().get(Counter.PLAIN_BYTES)).isEqualTo(5);
      assertThat(status.out().get(Counter.MESSAGES)).isEqualTo(1);
      for (Total total : Total.ALL) {
        assertThat(total.of(status)).as(total.name()).isNotNegative();
      }
    }
  }

  @Test
  void eachNumberOfAProcessHasItsOwnNameAndMeter() {
    assertThat(Total.ALL).extracting(Total::name).doesNotHaveDuplicates();
    assertThat(Total.ALL).extracting(Total::meter).doesNotHaveDuplicates();
    assertThat(Total.ALL)
        .allSatisfy(total -> {
          assertThat(total.name()).matches("[a-z][A-Za-z]+");
          assertThat(total.counter().help()).isNotEmpty().doesNotContain("|");
        });
  }
}
