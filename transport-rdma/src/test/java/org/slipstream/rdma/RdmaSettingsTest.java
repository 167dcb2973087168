package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RdmaSettingsTest {
  private static RdmaSettings read(String... keysAndValues) {
    Properties properties = new Properties();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      properties.setProperty("slipstream.rdma." + keysAndValues[i], keysAndValues[i + 1]);
    }
    return RdmaSettings.read(properties);
  }

  @Test
  void byDefaultEverythingIsAllowedAndTheSystemDecides() {
    assertThat(read().allows("mlx5_0", 1)).isTrue();
    assertThat(read().trafficClass()).isEqualTo(-1);
  }

  @Test
  void devicesAndPortsCanBeChosen() {
    RdmaSettings settings = read("ports", "mlx5_0/2, rxe0");
    assertThat(settings.allows("mlx5_0", 2)).isTrue();
    assertThat(settings.allows("mlx5_0", 1)).isFalse();
    assertThat(settings.allows("rxe0", 1)).isTrue();
    assertThat(settings.allows("rxe01", 1)).isFalse();
  }

  @Test
  void theTrafficClassIsDecimalOrHexadecimal() {
    assertThat(read("traffic.class", "106").trafficClass()).isEqualTo(106);
    assertThat(read("traffic.class", "0x68").trafficClass()).isEqualTo(0x68);
  }

  @ParameterizedTest
  @ValueSource(strings = {"256", "-1", "high"})
  void badTrafficClassesGetASentence(String value) {
    assertThatThrownBy(() -> read("traffic.class", value))
        .hasMessage("slipstream.rdma.traffic.class must be 0 to 255, but is '" + value + "'");
  }
}
