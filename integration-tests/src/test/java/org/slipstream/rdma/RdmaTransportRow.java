package org.slipstream.rdma;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.slipstream.testkit.transport.Backend;
import org.slipstream.testkit.transport.TransportConformance;
import org.slipstream.transport.Transport;

/** The contract between core and backends, over queue pairs. Runs inside the guest. */
public final class RdmaTransportRow extends TransportConformance {
  private static final class Device implements Backend {
    @Override
    public Transport client() {
      return new RdmaTransport();
    }

    @Override
    public Transport server() {
      return new RdmaTransport();
    }

    @Override
    public InetAddress serverAddress() {
      try {
        return InetAddress.getByName(RdmaEndpoints.HOST);
      } catch (UnknownHostException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public InetAddress clientAddress() {
      return serverAddress();
    }
  }

  @Override
  protected Backend backend() {
    return new Device();
  }
}
