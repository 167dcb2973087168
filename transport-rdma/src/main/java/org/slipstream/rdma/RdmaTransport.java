package org.slipstream.rdma;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.slipstream.rdma.cm.ConnectionManager;
import org.slipstream.rdma.verbs.DeviceContext;
import org.slipstream.transport.Availability;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Transport;
import org.slipstream.transport.TransportHost;

/** InfiniBand, RoCE and iWARP, by libibverbs and librdmacm of the machine. */
public final class RdmaTransport implements Transport {

  /** The name that users see. */
  public static final String NAME = "rdma";

  private static final Path CONNECTION_DEVICE = Path.of("/dev/infiniband/rdma_cm");

  /** Found by {@link java.util.ServiceLoader}. */
  public RdmaTransport() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Availability availability() {
    RdmaSettings settings;
    try {
      settings = RdmaSettings.read(System.getProperties());
    } catch (IllegalArgumentException e) {
      return Availability.no(String.valueOf(e.getMessage()));
    }
    List<RdmaDevices.Port> ports = RdmaDevices.ports();
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
    if (!Files.isReadable(CONNECTION_DEVICE) || !Files.isWritable(CONNECTION_DEVICE)) {
      return Availability.no(
          CONNECTION_DEVICE
              + (Files.exists(CONNECTION_DEVICE)
                  ? " may not be used by this user"
                  : " does not exist; load the kernel module rdma_ucm, and give it to containers"));
    }
    if (!DeviceContext.library().isOpen()) {
      return Availability.no(DeviceContext.library().failure());
    }
    if (!ConnectionManager.LIBRARY.isOpen()) {
      return Availability.no(ConnectionManager.LIBRARY.failure());
    }
    return Availability.yes(describe(ports) + "; memory that may be locked: " + memoryLimit());
  }

  @Override
  public Availability probe() {
    Availability found = availability();
    return found.available() ? RdmaProbe.first() : found;
  }

  private static String describe(List<RdmaDevices.Port> ports) {
    return ports.stream().map(RdmaDevices.Port::toString).collect(Collectors.joining(", "));
  }

  /** Soft limit of RLIMIT_MEMLOCK. */
  private static String memoryLimit() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
        if (line.startsWith("Max locked memory")) {
          String bytes = line.substring("Max locked memory".length()).strip().split(" +", 2)[0];
          return bytes.equals("unlimited") ? bytes : bytes + " bytes";
        }
      }
    } catch (IOException e) {
      return "unknown";
    }
    return "unknown";
  }

  @Override
  public Endpoint open(TransportHost host) throws IOException {
    return new RdmaEndpoint(host, RdmaSettings.read(System.getProperties()));
  }
}
