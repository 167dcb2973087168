package org.slipstream.core.config;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.TransportSettings;

/**
 * The configuration, read once at start-up from system properties; {@code docs/CONFIGURATION.md}
 * lists the keys.
 *
 * @param enabled {@code slipstream.enabled}: whether streams are upgraded at all
 * @param runtimeDirectory {@code slipstream.dir}: where processes find each other; null = default
 * @param ringBytes {@code slipstream.ring.size}: bytes of one ring, a power of two
 * @param firstRingBytes those of a ring of the first few streams, as the transport means it
 * @param memoryLimit {@code slipstream.memory.limit}: bytes of all receive windows of the process
 * @param maxSpinMicros {@code slipstream.spin.max}: the longest spin before a sleep, in
 *     microseconds
 * @param transports {@code slipstream.transports}: which transports are used, in the order of
 *     preference
 * @param cpus how many cores the machine has
 * @param rules {@code slipstream.rules}: which streams may be accelerated; null = all
 * @param rulesFile {@code slipstream.rules.file}: where more of them are; null = nowhere
 * @param pipeDoorbells {@code slipstream.doorbell}: whether event loops may be woken through pipes
 * @param eagerMillis {@code slipstream.test.eager}: streams are offered when they are connected,
 *     and the first write of each end waits so many milliseconds for the ring; 0 = off, as in
 *     production
 * @param longestHoldMillis {@code slipstream.test.hold}: how long streams are held before they are
 *     offered, at most, where others were closed soon behind their offer
 */
public record SlipstreamConfig(
    boolean enabled,
    @Nullable String runtimeDirectory,
    int ringBytes,
    int firstRingBytes,
    long memoryLimit,
    int maxSpinMicros,
    List<String> transports,
    int cpus,
    @Nullable String rules,
    @Nullable String rulesFile,
    boolean pipeDoorbells,
    int eagerMillis,
    int longestHoldMillis) {

  /** Everything that starts with this belongs to us. */
  public static final String PREFIX = "slipstream.";

  /** Switches everything off. */
  public static final String ENABLED = PREFIX + "enabled";

  /** Names the file of the host's settings. */
  static final String CONF = PREFIX + "conf";

  private static final String DIR = PREFIX + "dir";
  private static final String RING_SIZE = PREFIX + "ring.size";
  private static final String MEMORY_LIMIT = PREFIX + "memory.limit";
  private static final String SPIN_MAX = PREFIX + "spin.max";
  private static final String TRANSPORTS = PREFIX + "transports";
  private static final List<String> KNOWN_TRANSPORTS = List.of("shm", "ntb", "rdma");

  private static final String RULES = PREFIX + "rules";
  private static final String RULES_FILE = PREFIX + "rules.file";

  private static final String DOORBELL = PREFIX + "doorbell";

  /** Keys that the backends read by themselves. */
  private static final List<String> BACKENDS =
      List.of(
          PREFIX + "key",
          PREFIX + "hosts",
          PREFIX + "ntb.hosts",
          PREFIX + "ntb.library",
          PREFIX + "ntb.key",
          PREFIX + "ntb.dma",
          PREFIX + "ntb.check",
          PREFIX + "ntb.node",
          PREFIX + "ntb.window",
          PREFIX + "rdma.ports",
          PREFIX + "rdma.gids",
          PREFIX + "rdma.pkeys",
          PREFIX + "rdma.path.mtu",
          PREFIX + "rdma.inline.max",
          PREFIX + "rdma.ack.timeout",
          PREFIX + "rdma.retries",
          PREFIX + "rdma.order",
          PREFIX + "rdma.slow",
          PREFIX + "rdma.rails",
          PREFIX + "rdma.iwarp",
          PREFIX + "rdma.iwarp.port.offset",
          PREFIX + "rdma.traffic.class");

  /** Read by the agent, before there is anything else of ours. */
  private static final String NETTY = PREFIX + "netty";

  /** Keys of our own tools, not of the library. */
  private static final String JAR = PREFIX + "jar";

  /** For our own tests; not among the settings that a user is told. */
  private static final String TEST_EAGER = PREFIX + "test.eager";

  private static final String TEST_HOLD = PREFIX + "test.hold";

  private static final String ONLINE = "/sys/devices/system/cpu/online";
  private static final String AUTO = "auto";
  private static final int RING = 256 * 1024;
  private static final int FIRST_RING = 1024 * 1024;
  private static final int MIN_RING = 16 * 1024;
  private static final int MAX_RING = 64 * 1024 * 1024;
  private static final int MAX_SPIN_MICROS = 10_000;
  private static final int MAX_EAGER_MILLIS = 10_000;
  private static final int HOLD_MILLIS = 640;
  private static final int MAX_HOLD_MILLIS = 10_000;

  /** A configuration that can not be understood. The message is one sentence for the user. */
  public static final class InvalidConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InvalidConfigException(String message) {
      super(message);
    }
  }

  /**
   * Reads the configuration.
   *
   * @param properties e.g. {@link System#getProperties}
   * @return the configuration
   * @throws InvalidConfigException for an unknown key or a malformed or empty value
   */
  public static SlipstreamConfig read(Properties properties) {
    for (String key : properties.stringPropertyNames()) {
      if (key.startsWith(PREFIX)) {
        requireKnown(key);
        checkNotEmpty(properties, key);
      }
    }
    String netty = properties.getProperty(NETTY, AUTO);
    if (!netty.equals(AUTO) && !netty.equals("nio")) {
      throw new InvalidConfigException(NETTY + "=" + netty + " is neither auto nor nio");
    }
    boolean chosen = !properties.getProperty(RING_SIZE, AUTO).equals(AUTO);
    long ring = chosen ? bytes(properties, RING_SIZE, 0, MIN_RING, MAX_RING) : RING;
    if (Long.bitCount(ring) != 1) {
      throw new InvalidConfigException(
          RING_SIZE + "=" + properties.getProperty(RING_SIZE) + " is not a power of two");
    }
    long defaultLimit = Math.max(64L << 20, Runtime.getRuntime().maxMemory() / 2);
    return new SlipstreamConfig(
        bool(properties, ENABLED, true),
        properties.getProperty(DIR),
        (int) ring,
        chosen ? (int) ring : FIRST_RING,
        bytes(properties, MEMORY_LIMIT, defaultLimit, 0, Long.MAX_VALUE / 2),
        (int) number(properties, SPIN_MAX, 100, 0, MAX_SPIN_MICROS),
        transports(properties.getProperty(TRANSPORTS)),
        onlineCores(),
        properties.getProperty(RULES),
        properties.getProperty(RULES_FILE),
        pipeDoorbells(properties.getProperty(DOORBELL)),
        (int) number(properties, TEST_EAGER, 0, 0, MAX_EAGER_MILLIS),
        (int) number(properties, TEST_HOLD, HOLD_MILLIS, 0, MAX_HOLD_MILLIS));
  }

  /**
   * What transports need of it.
   *
   * @return their settings
   */
  public TransportSettings transportSettings() {
    return new TransportSettings(runtimeDirectory, ringBytes, firstRingBytes);
  }

  /**
   * Checks the name of a setting.
   *
   * @param key with {@link #PREFIX}
   * @throws InvalidConfigException if there is no such setting
   */
  static void requireKnown(String key) {
    switch (key) {
      case ENABLED,
          DIR,
          RING_SIZE,
          MEMORY_LIMIT,
          SPIN_MAX,
          TRANSPORTS,
          RULES,
          RULES_FILE,
          DOORBELL,
          NETTY,
          CONF,
          JAR,
          TEST_EAGER,
          TEST_HOLD -> {}
      default -> {
        if (!BACKENDS.contains(key)) {
          throw new InvalidConfigException(
              "Unknown setting "
                  + key
                  + "; known are "
                  + String.join(
                      ", ",
                      ENABLED,
                      DIR,
                      RING_SIZE,
                      MEMORY_LIMIT,
                      SPIN_MAX,
                      TRANSPORTS,
                      RULES,
                      RULES_FILE,
                      DOORBELL,
                      NETTY,
                      CONF)
                  + ", "
                  + String.join(", ", BACKENDS));
        }
      }
    }
  }

  /** An empty path would be the current directory, which no user means; no rules are a fine set. */
  private static void checkNotEmpty(Properties properties, String key) {
    String value = properties.getProperty(key);
    if (value != null && value.isBlank() && !key.equals(RULES) && !key.equals(JAR)) {
      throw new InvalidConfigException(
          key + "=" + value + " is empty; leave it out for the default");
    }
  }

  /**
   * The cores of the machine and not those of this process: a process that is pinned to one core
   * may well spin for a peer on another.
   */
  private static int onlineCores() {
    int cores = 0;
    try {
      for (String range : read(ONLINE).strip().split(",", -1)) {
        int dash = range.indexOf('-');
        int first = Integer.parseInt(dash < 0 ? range : range.substring(0, dash));
        int last = Integer.parseInt(range.substring(dash + 1));
        cores += last - first + 1;
      }
    } catch (IOException | NumberFormatException e) {
      cores = 0; // no such file, or a new format
    }
    return cores > 0 ? cores : Runtime.getRuntime().availableProcessors();
  }

  /** Not by {@code java.nio.file}, of which this would be the first use in many programs. */
  private static String read(String file) throws IOException {
    try (FileInputStream in = new FileInputStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
  }

  private static List<String> transports(@Nullable String value) {
    if (value == null) {
      return KNOWN_TRANSPORTS;
    }
    List<String> names = Arrays.stream(value.split(",", -1)).map(String::strip).toList();
    for (String name : names) {
      if (!KNOWN_TRANSPORTS.contains(name)) {
        throw new InvalidConfigException(
            TRANSPORTS + "=" + value + " names '" + name + "'; known are " + KNOWN_TRANSPORTS);
      }
    }
    return names;
  }

  private static boolean pipeDoorbells(@Nullable String value) {
    return switch (value == null ? "auto" : value) {
      case "auto" -> true;
      case "tcp" -> false;
      default ->
          throw new InvalidConfigException(DOORBELL + "=" + value + " is neither auto nor tcp");
    };
  }

  private static boolean bool(Properties properties, String key, boolean standard) {
    String value = properties.getProperty(key);
    if (value == null) {
      return standard;
    }
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new InvalidConfigException(key + "=" + value + " is neither true nor false");
    };
  }

  private static long number(Properties p, String key, long standard, long min, long max) {
    String value = p.getProperty(key);
    if (value == null) {
      return standard;
    }
    long n;
    try {
      n = Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new InvalidConfigException(key + "=" + value + " is not a whole number");
    }
    return inRange(key, value, n, min, max);
  }

  private static long bytes(Properties p, String key, long standard, long min, long max) {
    String value = p.getProperty(key);
    if (value == null) {
      return standard;
    }
    int shift =
        switch (value.isEmpty() ? ' ' : Character.toLowerCase(value.charAt(value.length() - 1))) {
          case 'k' -> 10;
          case 'm' -> 20;
          case 'g' -> 30;
          default -> 0;
        };
    long n;
    try {
      n = Long.parseLong(shift == 0 ? value : value.substring(0, value.length() - 1));
    } catch (NumberFormatException e) {
      throw new InvalidConfigException(
          key + "=" + value + " is not a size such as 262144, 256k, 64m or 1g");
    }
    if (n > Long.MAX_VALUE >> shift) {
      throw new InvalidConfigException(key + "=" + value + " is too large");
    }
    return inRange(key, value, n << shift, min, max);
  }

  private static long inRange(String key, String value, long n, long min, long max) {
    if (n < min || n > max) {
      throw new InvalidConfigException(
          key + "=" + value + " is not between " + min + " and " + max);
    }
    return n;
  }
}
