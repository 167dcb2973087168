package org.slipstream.rdma;

import java.io.IOException;
import java.util.List;
import org.slipstream.transport.Availability;
import org.slipstream.transport.ClusterKey;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Transport;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.TransportSettings;

/** InfiniBand, RoCE and iWARP, by libibverbs and librdmacm of the machine. */
public final class RdmaTransport implements Transport {

  /** The name that users see. */
  public static final String NAME = RdmaSession.NAME;

  /** Found by {@link java.util.ServiceLoader}. */
  public RdmaTransport() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Availability availability() {
    return RdmaAvailability.ofThisMachine().look(System.getProperties());
  }

  @Override
  public boolean sharesMemory() {
    return true;
  }

  /** A process that knows a key of 32 bits could use it: without a cluster key, any could guess. */
  @Override
  public Availability memoryAvailability() {
    return System.getProperty(ClusterKey.SETTING) == null
        ? Availability.no("memory between hosts needs " + ClusterKey.SETTING + " at both ends")
        : availability();
  }

  @Override
  public List<String> devices() {
    return RdmaDevices.ports().stream().map(RdmaDevices::describe).toList();
  }

  @Override
  public Availability probe(TransportSettings settings) {
    Availability found = availability();
    return found.available() ? RdmaProbe.first(settings) : found;
  }

  @Override
  public Endpoint open(TransportHost host) throws IOException {
    return new RdmaEndpoint(
        host,
        RdmaSettings.read(System.getProperties()),
        FabricKey.of(ClusterKey.read(System.getProperties())),
        FabricAddresses.read(System.getProperties()));
  }
}
