package org.slipstream.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slipstream.transport.Availability;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Transport;
import org.slipstream.transport.TransportHost;

/** Shared memory between processes of one user on one host; pure Java, nothing to install. */
public final class ShmTransport implements Transport {

  /** The name that users see. */
  public static final String NAME = ShmSession.NAME;

  /** Found by {@link java.util.ServiceLoader}. */
  public ShmTransport() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Availability availability() {
    if (!Files.exists(Path.of("/proc/self/ns/net"))) {
      return Availability.no("shared memory needs Linux with /proc mounted");
    }
    String ambiguity = OverflowUser.ambiguity();
    if (ambiguity != null) {
      return Availability.no(ambiguity);
    }
    return Availability.yes("files in a private directory on a tmpfs, mapped by both processes");
  }

  @Override
  public boolean showsProcess() {
    return true;
  }

  @Override
  public boolean sharesMemory() {
    return true;
  }

  @Override
  public Endpoint open(TransportHost host) throws IOException {
    return new ShmEndpoint(host);
  }
}
