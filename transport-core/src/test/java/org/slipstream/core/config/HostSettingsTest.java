package org.slipstream.core.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.core.config.SlipstreamConfig.InvalidConfigException;

class HostSettingsTest {
  @TempDir private Path directory;
  private final Properties properties = new Properties();

  private void read(String content) throws IOException {
    Path file = Files.writeString(directory.resolve("conf"), content);
    properties.setProperty("slipstream.conf", file.toString());
    HostSettings.addTo(properties);
  }

  @Test
  void keysMayHaveThePrefixAndWhatIsSetStays() throws Exception {
    properties.setProperty("slipstream.spin.max", "5");
    read(
        """
        # of this host
        ring.size = 64k
        slipstream.spin.max=9

          rules = off all = of them
        """);
    assertThat(properties)
        .containsEntry("slipstream.ring.size", "64k")
        .containsEntry("slipstream.spin.max", "5")
        .containsEntry("slipstream.rules", "off all = of them");
  }

  @ParameterizedTest
  @CsvSource({
    "rign.size = 64k, conf:2: Unknown setting slipstream.rign.size; known are ",
    "enabled, conf:2: 'enabled' is not key = value",
    "= x, conf:2: '= x' is not key = value",
    "dir = /b, conf:2: slipstream.dir is there twice",
    "conf = /b, conf:2: slipstream.conf can not be set in the file that it names"
  })
  void aBadLineIsOneSentenceWithItsPlaceAndNothingIsSet(String line, String sentence) {
    assertThatThrownBy(() -> read("dir = /a\n" + line + "\n"))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining(sentence);
    assertThat(properties.stringPropertyNames()).containsExactly("slipstream.conf");
  }

  @Test
  void aFileThatIsNamedHasToBeThere() {
    properties.setProperty("slipstream.conf", directory + "/none");
    assertThatThrownBy(() -> HostSettings.addTo(properties))
        .isInstanceOf(InvalidConfigException.class)
        .hasMessage("slipstream.conf=" + directory + "/none can not be read");
  }
}
