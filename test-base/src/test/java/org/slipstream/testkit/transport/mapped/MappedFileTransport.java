package org.slipstream.testkit.transport.mapped;

import java.io.IOException;
import org.slipstream.transport.Availability;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Transport;
import org.slipstream.transport.TransportHost;

/** Memory that two processes share by mapping one file. */
final class MappedFileTransport implements Transport {
  static final String NAME = "mapped";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Availability availability() {
    return Availability.yes("files that both processes map");
  }

  @Override
  public Endpoint open(TransportHost host) throws IOException {
    return new MappedFileEndpoint(host);
  }
}
