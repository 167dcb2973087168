package org.slipstream.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.regex.Pattern;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.config.SlipstreamConfig.InvalidConfigException;
import org.slipstream.transport.TransportSettings;

class SlipstreamConfigTest {

  private static SlipstreamConfig read(String... pairs) {
    Properties p = new Properties();
    for (int i = 0; i < pairs.length; i += 2) {
      p.setProperty(pairs[i], pairs[i + 1]);
    }
    return SlipstreamConfig.read(p);
  }

  @Test
  void nothingSetMeansTheDefaults() {
    SlipstreamConfig c = read();
    assertThat(c.enabled()).isTrue();
    assertThat(c.runtimeDirectory()).isNull();
    assertThat(c.ringBytes()).isEqualTo(256 * 1024);
    assertThat(c.firstRingBytes()).isEqualTo(1024 * 1024);
    assertThat(read("slipstream.ring.size", "auto")).isEqualTo(c);
    assertThat(c.memoryLimit()).isGreaterThanOrEqualTo(64L << 20);
    assertThat(c.maxSpinMicros()).isEqualTo(100);
    assertThat(c.cpus()).isPositive();
  }

  @Test
  void everyKeyIsRead() {
    SlipstreamConfig c =
        read(
            "slipstream.enabled", "false",
            "slipstream.dir", "/run/x",
            "slipstream.ring.size", "64k",
            "slipstream.memory.limit", "1g",
            "slipstream.spin.max", "0");
    assertThat(c.enabled()).isFalse();
    assertThat(c.runtimeDirectory()).isEqualTo("/run/x");
    assertThat(c.ringBytes()).isEqualTo(65_536);
    assertThat(c.transportSettings()).isEqualTo(new TransportSettings("/run/x", 65_536, 65_536));
    assertThat(c.memoryLimit()).isEqualTo(1L << 30);
    assertThat(c.maxSpinMicros()).isZero();
  }

  @Test
  void theSettingForTestsIsOffAndIsNotToldToUsers() {
    assertThat(read().eagerMillis()).isZero();
    assertThat(read("slipstream.test.eager", "200").eagerMillis()).isEqualTo(200);
    assertThatThrownBy(() -> read("slipstream.test.eagre", "200"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageStartingWith("Unknown setting slipstream.test.eagre; known are ")
        .hasMessageNotContaining("slipstream.test.eager");
  }

  @Test
  void whatDoesNotStartWithOurPrefixIsNoneOfOurBusiness() {
    assertThat(read("slipstreamy", "1", "java.home", "x").enabled()).isTrue();
  }

  @Test
  void anUnknownKeyIsNamedTogetherWithTheKnownOnes() {
    assertThatThrownBy(() -> read("slipstream.rign.size", "64k"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageStartingWith("Unknown setting slipstream.rign.size; known are ")
        .hasMessageContaining("slipstream.ring.size");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "enabled",
        "dir",
        "ring.size",
        "memory.limit",
        "spin.max",
        "transports",
        "rules.file",
        "ntb.hosts",
        "ntb.node",
        "rdma.ports",
        "rdma.inline.max"
      })
  void anEmptyValueIsRefused(String key) {
    for (String empty : List.of("", " ")) {
      assertThatThrownBy(() -> read("slipstream." + key, empty))
          .isInstanceOf(InvalidConfigException.class)
          .hasMessage(
              "slipstream." + key + "=" + empty + " is empty; leave it out for the default");
    }
  }

  @Test
  void thereMayBeNoRules() {
    assertThat(read("slipstream.rules", "").rules()).isEmpty();
  }

  @Test
  void theKnownKeysAreTheDocumentedOnes() throws IOException {
    String documentation = Files.readString(Path.of("../docs/CONFIGURATION.md"));
    List<String> documented =
        Pattern.compile("^\\| `(slipstream\\.[a-z.]+)` ", Pattern.MULTILINE)
            .matcher(documentation)
            .results()
            .map(row -> row.group(1))
            .toList();
    assertThat(documented).contains("slipstream.enabled", "slipstream.rdma.gids");
    assertThatThrownBy(() -> read("slipstream.rign.size", "64k"))
        .satisfies(e ->
            assertThat(e.getMessage().replaceFirst(".*known are ", "").split(", ", -1))
                .containsExactlyInAnyOrderElementsOf(documented));
    for (String key : documented) {
      Throwable refused = catchThrowable(() -> read(key, "?"));
      assertThat(refused == null || refused.getMessage().startsWith(key + "=?")).as(key).isTrue();
    }
  }

  @ParameterizedTest(name = "{0}={1}")
  @CsvSource({
    "slipstream.enabled, yes, slipstream.enabled=yes is neither true nor false",
    "slipstream.ring.size, 100000, slipstream.ring.size=100000 is not a power of two",
    "slipstream.ring.size, 1k, slipstream.ring.size=1k is not between 16384 and 67108864",
    "slipstream.ring.size, 128m, slipstream.ring.size=128m is not between 16384 and 67108864",
    "slipstream.ring.size, -64k, slipstream.ring.size=-64k is not between 16384 and 67108864",
    "slipstream.ring.size, lots, 'slipstream.ring.size=lots is not a size such as 262144, 256k, 64m"
        + " or 1g'",
    "slipstream.ring.size, k, 'slipstream.ring.size=k is not a size such as 262144, 256k, 64m or"
        + " 1g'",
    "slipstream.memory.limit, 9223372036854775807g,"
        + " slipstream.memory.limit=9223372036854775807g is too large",
    "slipstream.spin.max, 1.5, slipstream.spin.max=1.5 is not a whole number",
    "slipstream.spin.max, 10001, slipstream.spin.max=10001 is not between 0 and 10000",
    "slipstream.spin.max, -1, slipstream.spin.max=-1 is not between 0 and 10000",
    "slipstream.test.eager, true, slipstream.test.eager=true is not a whole number",
    "slipstream.test.eager, 10001, slipstream.test.eager=10001 is not between 0 and 10000"
  })
  void aMalformedValueIsOneSentenceWithKeyAndValue(String key, String value, String sentence) {
    assertThatThrownBy(() -> read(key, value))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessage(sentence);
  }

  @Property(tries = 500)
  void anyValueIsReadOrRefusedWithASentence(@ForAll String value) {
    for (String key :
        new String[] {
          "slipstream.enabled",
          "slipstream.ring.size",
          "slipstream.memory.limit",
          "slipstream.spin.max"
        }) {
      try {
        assertThat(read(key, value)).isNotNull();
      } catch (InvalidConfigException e) {
        assertThat(e).hasMessageStartingWith(key + "=");
      }
    }
  }

  @ParameterizedTest(name = "{0} is {1} bytes")
  @CsvSource({"65536, 65536", "64k, 65536", "64K, 65536", "1m, 1048576", "1M, 1048576"})
  void sizesMayHaveAUnit(String text, int bytes) {
    assertThat(read("slipstream.ring.size", text).ringBytes()).isEqualTo(bytes);
  }
}
