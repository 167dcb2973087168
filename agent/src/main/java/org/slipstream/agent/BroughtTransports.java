package org.slipstream.agent;

import java.util.Iterator;
import java.util.List;
import org.slipstream.ntb.NtbTransport;
import org.slipstream.rdma.RdmaTransport;
import org.slipstream.shm.ShmTransport;
import org.slipstream.transport.Transport;

/**
 * The backends that are in slipstream.jar, which are all that there are ({@code
 * slipstream.transports} accepts no other name). A {@link java.util.ServiceLoader} finds the same,
 * after it has loaded a hundred classes of the JDK into a process that is being started.
 */
final class BroughtTransports implements Iterable<Transport> {
  BroughtTransports() {}

  @Override
  public Iterator<Transport> iterator() {
    return List.<Transport>of(new ShmTransport(), new NtbTransport(), new RdmaTransport())
        .iterator();
  }
}
