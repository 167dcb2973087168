package org.slipstream.rdma;

import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * The settings of this transport; {@code docs/RDMA.md} explains them.
 *
 * @param ports {@code slipstream.rdma.ports}: devices ({@code mlx5_0}) or ports ({@code mlx5_0/1})
 *     that may be used; empty means all
 * @param trafficClass {@code slipstream.rdma.traffic.class}: 0 to 255; -1 leaves it to the system
 */
record RdmaSettings(List<String> ports, int trafficClass) {
  private static final String PREFIX = "slipstream.rdma.";
  private static final int MAX_TRAFFIC_CLASS = 255;

  RdmaSettings {
    ports = List.copyOf(ports);
  }

  /**
   * Reads them.
   *
   * @param properties e.g. {@link System#getProperties}
   * @return the settings
   * @throws IllegalArgumentException with a sentence for people
   */
  static RdmaSettings read(Properties properties) {
    List<String> ports =
        Stream.of(properties.getProperty(PREFIX + "ports", "").split(",", -1))
            .map(String::strip)
            .filter(s -> !s.isEmpty())
            .toList();
    return new RdmaSettings(ports, trafficClass(properties));
  }

  private static int trafficClass(Properties properties) {
    String key = PREFIX + "traffic.class";
    String text = properties.getProperty(key, "").strip();
    if (text.isEmpty()) {
      return -1;
    }
    try {
      int value = Integer.decode(text);
      if (value >= 0 && value <= MAX_TRAFFIC_CLASS) {
        return value;
      }
    } catch (NumberFormatException e) {
      // the same sentence
    }
    throw new IllegalArgumentException(key + " must be 0 to 255, but is '" + text + "'");
  }

  /** Whether streams may use a port. */
  boolean allows(String device, int port) {
    return ports.isEmpty() || ports.contains(device) || ports.contains(device + "/" + port);
  }
}
