package org.slipstream.rdma;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.cm.CmId;
import org.slipstream.rdma.verbs.DeviceContext;
import org.slipstream.transport.Refusal;

/**
 * The settings of this transport; {@code docs/RDMA.md} explains them.
 *
 * @param ports {@code slipstream.rdma.ports}: devices ({@code mlx5_0}) or ports ({@code mlx5_0/1})
 *     that may be used; empty means all
 * @param gids {@code slipstream.rdma.gids}: own addresses on the fabric that may be used; empty
 *     means all
 * @param partitions {@code slipstream.rdma.pkeys}: keys of partitions that may be used, without the
 *     bit of full members; empty means all
 * @param trafficClass {@code slipstream.rdma.traffic.class}: 0 to 255; -1 leaves it to the system
 * @param maxPathMtu {@code slipstream.rdma.path.mtu}: bytes of payload that a packet of a queue
 *     pair has at most that this process connects; 0 leaves it to the system
 * @param maxInline {@code slipstream.rdma.inline.max}: bytes that a request carries itself at most,
 *     if the device can
 * @param ackTimeout {@code slipstream.rdma.ack.timeout}: how long a device waits for the other one
 *     before it sends again, in milliseconds; here the exponent of 4.096 us times two to its power
 * @param retries {@code slipstream.rdma.retries}: how often it sends again before the queue pair
 *     fails; what the process says that connects is good for both ends
 * @param order {@code slipstream.rdma.order}: how positions are made safe where the fabric does not
 *     keep the order of writes; null leaves it to the device
 * @param leavesWhenSlow {@code slipstream.rdma.slow}: whether streams go to TCP for a while where
 *     answers come sooner over it
 * @param rails {@code slipstream.rdma.rails}: what is done with further ports that join two hosts;
 *     of the end that connects, and whether the one that accepts tells of its own
 * @param usesIwarp {@code slipstream.rdma.iwarp}: whether devices of iWARP may be used
 * @param iwarpOffset {@code slipstream.rdma.iwarp.port.offset}: how far from a listener of TCP
 *     iWARP listens
 */
record RdmaSettings(
    List<String> ports,
    List<InetAddress> gids,
    List<Integer> partitions,
    int trafficClass,
    int maxPathMtu,
    int maxInline,
    int ackTimeout,
    int retries,
    @Nullable RdmaOrder order,
    boolean leavesWhenSlow,
    RailUse rails,
    boolean usesIwarp,
    int iwarpOffset) {
  private static final String PREFIX = "slipstream.rdma.";
  private static final int MAX_TRAFFIC_CLASS = 0xFF;
  private static final int MIN_PATH_MTU = 256;
  private static final int MAX_PATH_MTU = 4096;
  private static final int DEFAULT_INLINE = 256;
  private static final int MAX_INLINE = 1024;

  /**
   * With {@link #MAX_RETRIES} a quarter of a second, or a second with devices that take four times
   * as long as they are told, which the specification allows.
   */
  private static final int DEFAULT_ACK_TIMEOUT_MS = 33;

  /** More, and the watch over devices that complete nothing would be the first to give up. */
  private static final int MAX_ACK_TIMEOUT_MS = 4_000;

  /** What a device waits at exponent 0. */
  private static final int ACK_TIMEOUT_UNIT_NS = 4_096;

  /** 7 means for ever in some devices, Soft-RoCE among them. */
  private static final int MAX_RETRIES = 6;

  private static final int MAX_PARTITION = 0xFFFF;
  private static final int FULL_MEMBER = 0x8000;
  private static final int FIRST_PORT = 1024;
  private static final int PORTS = 0x10000 - FIRST_PORT;
  private static final int DEFAULT_IWARP_OFFSET = 20_000;

  RdmaSettings {
    ports = List.copyOf(ports);
    gids = List.copyOf(gids);
    partitions = List.copyOf(partitions);
  }

  /**
   * Reads them.
   *
   * @param properties e.g. {@link System#getProperties}
   * @return the settings
   * @throws IllegalArgumentException with a sentence for the operator
   */
  static RdmaSettings read(Properties properties) {
    return new RdmaSettings(
        list(properties, "ports", s -> s),
        list(properties, "gids", RdmaSettings::gid),
        list(properties, "pkeys", s -> number("pkeys", s, 1, MAX_PARTITION) & ~FULL_MEMBER),
        number(properties, "traffic.class", -1, 0, MAX_TRAFFIC_CLASS),
        pathMtu(properties),
        number(properties, "inline.max", DEFAULT_INLINE, 0, MAX_INLINE),
        exponent(number(properties, "ack.timeout", DEFAULT_ACK_TIMEOUT_MS, 1, MAX_ACK_TIMEOUT_MS)),
        number(properties, "retries", MAX_RETRIES, 0, MAX_RETRIES),
        order(properties),
        leavesWhenSlow(properties),
        rails(properties),
        flag(properties, "iwarp"),
        number(properties, "iwarp.port.offset", DEFAULT_IWARP_OFFSET, 1, PORTS - 1));
  }

  private static <T> List<T> list(
      Properties properties, String key, Function<String, T> interpretation) {
    String text = properties.getProperty(PREFIX + key, "").strip();
    if (text.isEmpty()) {
      return List.of(); // as in every process that does not use RDMA, before its first socket
    }
    return Stream.of(text.split(",", -1))
        .map(String::strip)
        .filter(s -> !s.isEmpty())
        .map(interpretation)
        .toList();
  }

  /** IPv4 is the same as IPv6 with ::ffff: before it, in Java as in GIDs. */
  private static InetAddress gid(String text) {
    try {
      return InetAddress.ofLiteral(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          PREFIX + "gids must be addresses, but one is '" + text + "'", e);
    }
  }

  private static int number(
      Properties properties, String key, int byDefault, int least, int greatest) {
    String text = properties.getProperty(PREFIX + key, "").strip();
    return text.isEmpty() ? byDefault : number(key, text, least, greatest);
  }

  private static @Nullable RdmaOrder order(Properties properties) {
    String text = properties.getProperty(PREFIX + "order", "").strip();
    if (text.isEmpty() || text.equals(RdmaOrder.AUTO)) {
      return null;
    }
    return Stream.of(RdmaOrder.values())
        .filter(o -> o.text().equals(text))
        .findAny()
        .orElseThrow(() ->
            new IllegalArgumentException(
                PREFIX
                    + "order must be auto, trusted, checksummed or completed, but is '"
                    + text
                    + "'"));
  }

  /**
   * The order that readers on a device of ours want. No hardware says of itself that it places
   * writes in their order on the fabric that it is on: subnet managers and firmware switch that.
   *
   * @param inSoftware whether the device is one of the kernel's, which work packet by packet
   */
  RdmaOrder order(boolean inSoftware) {
    return order != null ? order : inSoftware ? RdmaOrder.TRUSTED : RdmaOrder.COMPLETED;
  }

  /** The shortest time that devices know and that is not shorter. */
  private static int exponent(int millis) {
    int exponent = 0;
    while ((long) ACK_TIMEOUT_UNIT_NS << exponent < millis * 1_000_000L) {
      exponent++;
    }
    return exponent;
  }

  /** When a device gives a path up, for operators. */
  String tries() {
    long nanos = (long) ACK_TIMEOUT_UNIT_NS << ackTimeout;
    return "retries: %d, %d ms apart".formatted(retries, Math.round(nanos / 1e6));
  }

  private static boolean leavesWhenSlow(Properties properties) {
    String text = properties.getProperty(PREFIX + "slow", "").strip();
    return switch (text) {
      case "", "leave" -> true;
      case "stay" -> false;
      default ->
          throw new IllegalArgumentException(
              PREFIX + "slow must be leave or stay, but is '" + text + "'");
    };
  }

  private static RailUse rails(Properties properties) {
    String text = properties.getProperty(PREFIX + "rails", "").strip();
    if (text.isEmpty()) {
      return RailUse.STANDBY;
    }
    return Stream.of(RailUse.values())
        .filter(use -> use.text().equals(text))
        .findAny()
        .orElseThrow(() ->
            new IllegalArgumentException(
                PREFIX + "rails must be off, standby or spread, but is '" + text + "'"));
  }

  private static boolean flag(Properties properties, String key) {
    String text = properties.getProperty(PREFIX + key, "").strip();
    return switch (text) {
      case "", "false" -> false;
      case "true" -> true;
      default ->
          throw new IllegalArgumentException(
              PREFIX + key + " must be true or false, but is '" + text + "'");
    };
  }

  private static int pathMtu(Properties properties) {
    int bytes = number(properties, "path.mtu", 0, 0, MAX_PATH_MTU);
    if (bytes == 0 || isPathMtu(bytes)) {
      return bytes;
    }
    throw new IllegalArgumentException(
        PREFIX + "path.mtu must be 256, 512, 1024, 2048 or 4096, but is '" + bytes + "'");
  }

  /** Whether devices know it. */
  static boolean isPathMtu(int bytes) {
    return bytes >= MIN_PATH_MTU && bytes <= MAX_PATH_MTU && Integer.bitCount(bytes) == 1;
  }

  /** Decimal, or hexadecimal behind 0x. */
  private static int number(String key, String text, int least, int greatest) {
    try {
      int value = Integer.decode(text);
      if (value >= least && value <= greatest) {
        return value;
      }
    } catch (NumberFormatException e) {
      // the same sentence
    }
    throw new IllegalArgumentException(
        "%s%s must be %d to %d, but is '%s'".formatted(PREFIX, key, least, greatest, text));
  }

  /** Whether streams may use a port, of a device that speaks what it does. */
  boolean allows(RdmaDevices.Port port) {
    return allows(port.device(), port.number()) && (usesIwarp || !port.iwarp());
  }

  /** Whether streams may use a port, whatever it speaks. */
  boolean allows(String device, int port) {
    return ports.isEmpty() || ports.contains(device) || ports.contains(device + "/" + port);
  }

  /** Fails for iWARP, if that is off. */
  void requireTransport(DeviceContext device) throws IOException {
    if (!usesIwarp && device.isIwarp()) {
      throw new RefusedException(
          Refusal.IWARP_OFF, "its device speaks iWARP, and slipstream.rdma.iwarp is not true");
    }
  }

  /** Fails for an identifier on a port, GID or partition that is not allowed. */
  void requireAllowed(CmId id) throws IOException {
    requireTransport(id.device());
    if (!allows(id.device().toString(), id.port())) {
      throw notAllowed("its device is not among slipstream.rdma.ports");
    }
    if (!id.device().isIwarp()) {
      if (!allowsGid(id.sourceGid())) {
        throw notAllowed("its GID is not among slipstream.rdma.gids");
      }
      if (!allowsPartition(id.partitionKey())) {
        throw notAllowed("its P_Key is not among slipstream.rdma.pkeys");
      }
    }
  }

  private static IOException notAllowed(String why) {
    return new RefusedException(Refusal.NOT_ALLOWED, why);
  }

  /** Whether streams may use an address of ours as GID. */
  boolean allowsGid(InetAddress address) {
    return gids.isEmpty()
        || gids.stream().anyMatch(g -> Arrays.equals(g.getAddress(), address.getAddress()));
  }

  /** Whether streams may use a GID of ours, of 16 bytes. */
  boolean allowsGid(byte[] gid) {
    return gids.isEmpty() || gids.stream().anyMatch(g -> Arrays.equals(RdmaDevices.mapped(g), gid));
  }

  /** Whether streams may use a partition. */
  boolean allowsPartition(int key) {
    return partitions.isEmpty() || partitions.contains(key & ~FULL_MEMBER);
  }

  /**
   * Where iWARP listens for the listener of a program: connections of iWARP are TCP's, and one port
   * can not have two listeners. From 1024 on.
   */
  InetSocketAddress iwarp(InetSocketAddress listener) {
    int port = listener.getPort() + iwarpOffset;
    return new InetSocketAddress(
        listener.getAddress(), port < FIRST_PORT + PORTS ? port : port - PORTS);
  }

  /** What the connecting process says, and the accepting one does. */
  static void limitPathMtu(CmId id, int limit) throws IOException {
    if (limit > 0 && !id.device().isIwarp()) {
      id.limitPathMtu(limit);
    }
  }
}
