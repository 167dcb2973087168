package org.slipstream.rdma;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * The RDMA devices of the machine, as the kernel shows them in sysfs: found without a library, so
 * that a machine without devices pays nothing.
 */
final class RdmaDevices {
  private static final Path CLASSES = Path.of("/sys/class");
  private static final List<String> RETRIES =
      List.of(
          "local_ack_timeout_err",
          "packet_seq_err",
          "out_of_sequence",
          "rnr_nak_retry_err",
          "completer_retry_err",
          "out_of_seq_request",
          "rcvd_seq_err",
          "rcvd_rnr_err");
  private static final int GID_BYTES = 16;
  private static final int MAX_GIDS = 256;

  /**
   * The kernel puts an address into the first empty place of a table, so holes are as long as
   * addresses were taken away. Behind so many empty places there is nothing: tables have hundreds,
   * each is a file, and the control thread reads them.
   */
  static final int LONGEST_HOLE = 32;

  private static final int MIN_MTU = 256;
  private static final int MAX_MTU = 4096;

  /** Of RoCE: GRH, UDP, BTH, XRC, atomics, checksum. */
  private static final int ROCE_HEADERS = 40 + 8 + 12 + 4 + 28 + 4;

  /**
   * A port of a device.
   *
   * @param device e.g. {@code mlx5_0}
   * @param number from 1
   * @param state e.g. {@code ACTIVE}
   * @param linkLayer {@code InfiniBand} or {@code Ethernet}
   * @param iwarp whether it speaks iWARP
   * @param gids addresses on the fabric, 16 bytes each
   */
  record Port(
      String device, int number, String state, String linkLayer, boolean iwarp, List<byte[]> gids) {

    private static final String ACTIVE = "ACTIVE";

    boolean isActive() {
      return state.equals(ACTIVE);
    }

    /** RoCE: a GID is the IP address of the network device. */
    boolean hasAddress(InetAddress address) {
      byte[] wanted = mapped(address);
      return gids.stream().anyMatch(g -> java.util.Arrays.equals(g, wanted));
    }

    /** Whether GIDs are IP addresses, so that they say what the port reaches. */
    boolean isRoce() {
      return linkLayer.equals("Ethernet") && !iwarp;
    }

    @Override
    public String toString() {
      StringBuilder s = new StringBuilder(device).append('/').append(number).append(' ');
      s.append(state).append(' ').append(iwarp ? "iWARP" : isRoce() ? "RoCE" : linkLayer);
      for (byte[] gid : gids) {
        s.append(' ').append(text(gid));
      }
      return s.toString();
    }
  }

  private RdmaDevices() {}

  /** All ports of all devices; empty if there are none, or no sysfs. */
  static List<Port> ports() {
    return ports(CLASSES);
  }

  /** As {@link #ports()}, in a directory that is like {@code /sys/class}. */
  static List<Port> ports(Path classes) {
    List<Port> ports = new ArrayList<>();
    for (Path device : children(classes.resolve("infiniband"))) {
      boolean iwarp = read(device.resolve("node_type")).startsWith("4");
      for (Path port : children(device.resolve("ports"))) {
        ports.add(
            new Port(
                String.valueOf(device.getFileName()),
                Integer.parseInt(String.valueOf(port.getFileName())),
                afterColon(read(port.resolve("state"))),
                read(port.resolve("link_layer")),
                iwarp,
                gids(port.resolve("gids"))));
      }
    }
    return ports;
  }

  /** Whether a port is active, by one read: for a caller that knows the port. */
  static boolean isActive(String device, int port) {
    return isActive(CLASSES, device, port);
  }

  /** As {@link #isActive(String, int)}, in a directory that is like {@code /sys/class}. */
  static boolean isActive(Path classes, String device, int port) {
    Path state = classes.resolve("infiniband").resolve(device).resolve("ports");
    return afterColon(read(state.resolve(Integer.toString(port)).resolve("state")))
        .equals(Port.ACTIVE);
  }

  /** The name of the file by which programs use a device, e.g. {@code uverbs0}; empty if none. */
  static String file(Path classes, String device) {
    for (Path file : children(classes.resolve("infiniband_verbs"))) {
      if (read(file.resolve("ibdev")).equals(device)) {
        return String.valueOf(file.getFileName());
      }
    }
    return "";
  }

  private static List<byte[]> gids(Path directory) {
    List<byte[]> gids = new ArrayList<>();
    int empty = 0;
    for (int i = 0; i < MAX_GIDS && empty < LONGEST_HOLE; i++) {
      String text = read(directory.resolve(Integer.toString(i))).replace(":", "");
      if (text.length() != 2 * GID_BYTES) {
        break;
      }
      byte[] gid = HexFormat.of().parseHex(text);
      boolean zero = true;
      for (byte b : gid) {
        zero &= b == 0;
      }
      empty = zero ? empty + 1 : 0;
      if (!zero) {
        gids.add(gid);
      }
    }
    return gids;
  }

  /** A port with its rate, its network interface, and the MTU of both. */
  static String describe(Port port) {
    return describe(CLASSES, port);
  }

  /** As {@link #describe(Port)}, in a directory that is like {@code /sys/class}. */
  static String describe(Path classes, Port port) {
    StringBuilder s = new StringBuilder(port.toString());
    Path directory =
        classes
            .resolve("infiniband")
            .resolve(port.device())
            .resolve("ports")
            .resolve(Integer.toString(port.number()));
    String rate = read(directory.resolve("rate"));
    if (!rate.isEmpty()) {
      s.append(", ").append(rate);
    }
    String network = read(directory.resolve("gid_attrs").resolve("ndevs").resolve("0"));
    if (!network.isEmpty()) {
      s.append(", ").append(network);
      String mtu = read(classes.resolve("net").resolve(network).resolve("mtu"));
      if (mtu.matches("\\d{1,6}")) {
        s.append(" MTU ").append(mtu);
        if (port.isRoce()) {
          s.append(", RDMA MTU ").append(roceMtu(Integer.parseInt(mtu)));
        }
      }
    }
    return s.toString();
  }

  /** Bytes of payload of a packet of a RoCE port; 0 if sysfs does not say. */
  static int mtu(String device, int number) {
    Path directory = CLASSES.resolve("infiniband").resolve(device).resolve("ports");
    String network = read(directory.resolve(Integer.toString(number)).resolve("gid_attrs/ndevs/0"));
    String mtu = network.isEmpty() ? "" : read(CLASSES.resolve("net/" + network + "/mtu"));
    return mtu.matches("\\d{1,6}") ? roceMtu(Integer.parseInt(mtu)) : 0;
  }

  /**
   * What a port has counted of packets that it had to send again, or got in the wrong order. The
   * names are those of mlx5 and of Soft-RoCE; others have some of them.
   *
   * @return negative if it counts none of these
   */
  static long retries(String device, int number) {
    return retries(CLASSES, device, number);
  }

  /** As {@link #retries(String, int)}, in a directory that is like {@code /sys/class}. */
  static long retries(Path classes, String device, int number) {
    Path counters =
        classes.resolve("infiniband").resolve(device).resolve("ports/" + number + "/hw_counters");
    long sum = -1;
    for (String name : RETRIES) {
      String value = read(counters.resolve(name));
      if (value.matches("\\d{1,18}")) {
        sum = Math.max(sum, 0) + Long.parseLong(value);
      }
    }
    return sum;
  }

  /** Bytes of payload of a packet: as the kernel computes it, the headers at their largest. */
  static int roceMtu(int ethernetMtu) {
    int mtu = MAX_MTU;
    while (mtu > MIN_MTU && mtu > ethernetMtu - ROCE_HEADERS) {
      mtu /= 2;
    }
    return mtu;
  }

  /** {@code 4: ACTIVE}. */
  private static String afterColon(String text) {
    return text.substring(text.indexOf(':') + 1).strip();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      return ""; // the device went away, or the kernel has no such file
    }
  }

  /** Whether a device is one of the kernel's, in software. */
  static boolean isSoftware(String device) {
    return isSoftware(CLASSES, device);
  }

  /**
   * As {@link #isSoftware(String)}, in a directory that is like {@code /sys/class}. Soft-RoCE shows
   * its network device in a file that no other driver has; Soft-iWARP says what it is.
   */
  static boolean isSoftware(Path classes, String device) {
    Path directory = classes.resolve("infiniband").resolve(device);
    return Files.exists(directory.resolve("parent"))
        || read(directory.resolve("node_desc")).startsWith("Software iWARP");
  }

  private static List<Path> children(Path directory) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(directory)) {
      return all.sorted().toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  /** The GID of an IP address. */
  static byte[] mapped(InetAddress address) {
    byte[] raw = address.getAddress();
    if (raw.length == GID_BYTES) {
      return raw;
    }
    byte[] gid = new byte[GID_BYTES];
    gid[10] = (byte) 0xFF;
    gid[11] = (byte) 0xFF;
    System.arraycopy(raw, 0, gid, GID_BYTES - raw.length, raw.length);
    return gid;
  }

  /** As addresses are written. */
  static String text(byte[] gid) {
    try {
      return InetAddress.getByAddress(gid).getHostAddress();
    } catch (IOException e) {
      return HexFormat.of().formatHex(gid);
    }
  }
}
