package org.slipstream.rdma;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slipstream.rdma.cm.ConnectionManager;
import org.slipstream.rdma.verbs.DeviceContext;
import org.slipstream.transport.Availability;
import org.slipstream.transport.ClusterKey;

/**
 * Whether this machine can be used, or the first thing that is missing. No library is opened before
 * there is a device.
 *
 * @param classes {@code /sys/class}
 * @param files {@code /dev/infiniband}
 * @param limits {@code /proc/self/limits}
 * @param verbs why libibverbs can not be used; empty if it can
 * @param connections why librdmacm can not be used; empty if it can
 * @param canLimitPathMtu whether librdmacm is new enough for that
 */
record RdmaAvailability(
    Path classes,
    Path files,
    Path limits,
    Supplier<String> verbs,
    Supplier<String> connections,
    BooleanSupplier canLimitPathMtu) {

  static RdmaAvailability ofThisMachine() {
    return new RdmaAvailability(
        Path.of("/sys/class"),
        Path.of("/dev/infiniband"),
        Path.of("/proc/self/limits"),
        DeviceContext::failure,
        ConnectionManager::failure,
        ConnectionManager::canLimitPathMtu);
  }

  Availability look(Properties properties) {
    RdmaSettings settings;
    boolean hasKey;
    try {
      settings = RdmaSettings.read(properties);
      hasKey = ClusterKey.read(properties) != null;
      FabricAddresses.read(properties);
    } catch (IllegalArgumentException | IOException e) {
      return Availability.no(String.valueOf(e.getMessage()));
    }
    List<RdmaDevices.Port> ports = RdmaDevices.ports(classes);
    if (ports.isEmpty()) {
      return Availability.no("no RDMA device: /sys/class/infiniband is empty");
    }
    if (ports.stream().noneMatch(RdmaDevices.Port::isActive)) {
      return Availability.no("no active port: " + describe(ports));
    }
    ports = ports.stream().filter(p -> settings.allows(p.device(), p.number())).toList();
    if (ports.stream().noneMatch(RdmaDevices.Port::isActive)) {
      return Availability.no("slipstream.rdma.ports names no active port: " + settings.ports());
    }
    ports = ports.stream().filter(settings::allows).toList();
    if (ports.stream().noneMatch(RdmaDevices.Port::isActive)) {
      return Availability.no(
          "iWARP is off; read docs/RDMA.md before you set slipstream.rdma.iwarp=true");
    }
    String missing = missing(ports, settings);
    return missing.isEmpty()
        ? Availability.yes(
            describe(ports)
                + "; order: "
                + orders(ports, settings)
                + "; memory that may be locked: "
                + lockable()
                + "; "
                + settings.tries()
                + trust(hasKey))
        : Availability.no(missing);
  }

  private static String trust(boolean hasKey) {
    return hasKey
        ? "; slipstream.key proves peers"
        : "; no slipstream.key: the TCP connections of streams prove peers";
  }

  private String missing(List<RdmaDevices.Port> ports, RdmaSettings settings) {
    String closed = closed("rdma_cm", "rdma_ucm");
    if (closed.isEmpty()) {
      closed = ofEachDevice(ports);
    }
    if (closed.isEmpty()) {
      closed = verbs.get();
    }
    if (closed.isEmpty()) {
      closed = connections.get();
    }
    if (closed.isEmpty() && settings.maxPathMtu() > 0 && !canLimitPathMtu.getAsBoolean()) {
      closed = "slipstream.rdma.path.mtu needs librdmacm 23 or newer";
    }
    return closed;
  }

  /** Empty if the file of one of the devices can be opened. */
  private String ofEachDevice(List<RdmaDevices.Port> ports) {
    String first = "";
    for (RdmaDevices.Port port : ports) {
      if (port.isActive()) {
        String file = RdmaDevices.file(classes, port.device());
        String closed =
            file.isEmpty()
                ? port.device() + " is not for programs; load the kernel module ib_uverbs"
                : closed(file, "ib_uverbs");
        if (closed.isEmpty()) {
          return "";
        }
        first = first.isEmpty() ? closed : first;
      }
    }
    return first;
  }

  private String closed(String name, String module) {
    Path file = files.resolve(name);
    if (Files.isReadable(file) && Files.isWritable(file)) {
      return "";
    }
    return file
        + (Files.exists(file)
            ? " may not be used by this user"
            : " does not exist; load the kernel module " + module + ", and give it to containers");
  }

  private static String describe(List<RdmaDevices.Port> ports) {
    return ports.stream().map(RdmaDevices.Port::toString).collect(Collectors.joining(", "));
  }

  /** Which order is in force on each device, and why. */
  private String orders(List<RdmaDevices.Port> ports, RdmaSettings settings) {
    RdmaOrder set = settings.order();
    if (set != null) {
      return set.text() + ", as slipstream.rdma.order says";
    }
    return ports.stream()
        .map(RdmaDevices.Port::device)
        .distinct()
        .map(device -> {
          boolean soft = RdmaDevices.isSoftware(classes, device);
          return settings.order(soft).text()
              + (soft
                  ? ", as "
                      + device
                      + " is a device in software, which places writes in their order"
                  : ", as the fabric of " + device + " is not known to keep the order of writes");
        })
        .collect(Collectors.joining("; "));
  }

  private String lockable() {
    long bytes = lockableBytes();
    return bytes < 0 ? "unknown" : bytes == Long.MAX_VALUE ? "unlimited" : bytes + " bytes";
  }

  /**
   * Soft limit of RLIMIT_MEMLOCK: bytes, {@link Long#MAX_VALUE} if there is none; -1 if unknown.
   */
  long lockableBytes() {
    try {
      for (String line : Files.readAllLines(limits)) {
        if (line.startsWith("Max locked memory")) {
          String bytes = line.substring("Max locked memory".length()).strip().split(" +", 2)[0];
          return bytes.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(bytes);
        }
      }
    } catch (IOException | NumberFormatException e) {
      return -1;
    }
    return -1;
  }
}
