package org.slipstream.core.session;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MessageCode;
import org.slipstream.transport.Transport;
import org.slipstream.transport.TransportHost;

/** Opens the transports that the settings name, and what the tools of the same user need. */
final class Backends {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.core");

  private Backends() {}

  /**
   * Opens what can be used here; what can not is left out. That is logged if it is set wrongly, or
   * fails.
   *
   * @param names the transports to use, in order of preference
   * @param installed all that there are
   * @param host this process
   * @return the transports in the order of the names, and perhaps one that carries nothing
   */
  static List<Endpoint> open(
      List<String> names, Iterable<Transport> installed, TransportHost host) {
    List<Transport> chosen = new ArrayList<>();
    List<Endpoint> endpoints = new ArrayList<>();
    for (Transport transport : installed) {
      if (names.contains(transport.name())) {
        chosen.add(transport);
      } else if (transport.showsProcess()) {
        open(transport, host, endpoint -> endpoints.add(new ToolsOnly(endpoint)));
      }
    }
    chosen.sort((a, b) -> Integer.compare(names.indexOf(a.name()), names.indexOf(b.name())));
    chosen.forEach(transport -> open(transport, host, endpoints::add));
    return endpoints;
  }

  private static void open(Transport transport, TransportHost host, Consumer<Endpoint> opened) {
    String why;
    if (transport.availability().available()) {
      try {
        opened.accept(transport.open(host));
        return;
      } catch (IOException e) {
        why = String.valueOf(e.getMessage());
      }
    } else {
      why = transport.mistake();
      openToRefuse(transport, host, opened);
    }
    if (why != null) {
      LOG.log(
          Level.WARNING,
          MessageCode.TRANSPORT_NOT_USED.text(
              "Transport " + transport.name() + " is not used: " + why));
    }
  }

  /** So that peers hear why this process does not use it. */
  private static void openToRefuse(
      Transport transport, TransportHost host, Consumer<Endpoint> opened) {
    try {
      Endpoint endpoint = transport.openToRefuse(host);
      if (endpoint != null) {
        opened.accept(endpoint);
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Transport " + transport.name() + " does not tell peers why: " + e);
    }
  }
}
