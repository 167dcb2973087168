package org.slipstream.ntb;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.slipstream.transport.HostLines;

/**
 * Dolphin's {@code dishosts.conf}, read as it is: which host has which adapters with which node
 * ids. A keyword begins each line, with or without a colon:
 *
 * <pre>
 *   DISHOSTVERSION 2
 *   HOSTNAME: hostA
 *   ADAPTER:  hostA_a0 4 0 4        name, node id, number of the adapter; more is not ours
 *   STRIPE:   hostA_s hostA_a0 hostA_a1
 *   SOCKET:   hostA hostA_a0        an address or name, and the adapter that carries it
 * </pre>
 *
 * <p>A host is reached at the addresses of its SOCKET lines, by the adapters that they name first,
 * and at those of its HOSTNAME. Names are looked up as TCP would look them up: a name server may be
 * asked, once, while the transport opens. Keywords that are not known are passed over, since newer
 * versions of the file have more.
 *
 * <p>The number of the adapter is the host's own. It is taken for that of the adapter of ours which
 * leads there, as it is where adapters of one number form a fabric.
 */
final class DisHosts {
  private static final String HOST = "HOSTNAME";
  private static final String ADAPTER = "ADAPTER";
  private static final String SOCKET = "SOCKET";
  private static final Set<String> FIRST = Set.of("DISHOSTVERSION", HOST);

  private DisHosts() {}

  /** Takes an address and its ways. */
  @FunctionalInterface
  interface Taker {
    void add(InetAddress address, List<Route> ways, String where) throws IOException;
  }

  /** A host while its lines are read. */
  private static final class Host {
    final Map<String, Route> adapters = new LinkedHashMap<>();

    /** Name or address, and the names of the adapters that it prefers. */
    final Map<String, Set<String>> sockets = new LinkedHashMap<>();

    final String where;

    Host(String name, String where) {
      this.where = where;
      sockets.put(name, new LinkedHashSet<>());
    }
  }

  /** Whether the lines are those of such a file. */
  static boolean isOne(List<HostLines.Line> lines) {
    return !lines.isEmpty() && FIRST.contains(keyword(lines.getFirst()));
  }

  private static String keyword(HostLines.Line line) {
    return line.words().getFirst().replaceFirst(":$", "").toUpperCase(Locale.ROOT);
  }

  /**
   * Reads them.
   *
   * @throws IOException one sentence with the place of what can not be understood
   */
  static void read(List<HostLines.Line> lines, Taker taker) throws IOException {
    List<Host> hosts = new ArrayList<>();
    for (HostLines.Line line : lines) {
      switch (keyword(line)) {
        case HOST -> hosts.add(new Host(word(line, 1), line.where()));
        case ADAPTER -> last(hosts, line).adapters.put(word(line, 1), route(line));
        case SOCKET ->
            last(hosts, line)
                .sockets
                .computeIfAbsent(word(line, 1), _ -> new LinkedHashSet<>())
                .add(word(line, 2));
        default -> {}
      }
    }
    for (Host host : hosts) {
      give(host, taker);
    }
  }

  private static Host last(List<Host> hosts, HostLines.Line line) throws IOException {
    if (hosts.isEmpty()) {
      throw new IOException(line.where() + "there is no HOSTNAME before it");
    }
    return hosts.getLast();
  }

  private static String word(HostLines.Line line, int index) throws IOException {
    if (line.words().size() <= index) {
      throw new IOException(line.where() + keyword(line) + " needs more words");
    }
    return line.words().get(index);
  }

  private static Route route(HostLines.Line line) throws IOException {
    String node = word(line, 2);
    String adapter = word(line, 3);
    if (!node.matches("\\d{1,9}") || !adapter.matches("\\d{1,2}")) {
      throw new IOException(
          line.where() + "ADAPTER needs a name, a node id and the number of the adapter");
    }
    return new Route(Integer.parseInt(node), adapter);
  }

  private static void give(Host host, Taker taker) throws IOException {
    Map<InetAddress, Set<Route>> ways = new LinkedHashMap<>();
    for (Map.Entry<String, Set<String>> socket : host.sockets.entrySet()) {
      for (InetAddress address : addresses(socket.getKey(), host.where)) {
        Set<Route> routes = ways.computeIfAbsent(address, _ -> new LinkedHashSet<>());
        for (String adapter : socket.getValue()) {
          Route route = host.adapters.get(adapter);
          if (route != null) { // a stripe is none: its adapters come below
            routes.add(route);
          }
        }
      }
    }
    for (Map.Entry<InetAddress, Set<Route>> way : ways.entrySet()) {
      way.getValue().addAll(host.adapters.values());
      if (!way.getValue().isEmpty()) {
        taker.add(way.getKey(), List.copyOf(way.getValue()), host.where);
      }
    }
  }

  private static List<InetAddress> addresses(String name, String where) throws IOException {
    try {
      return List.of(InetAddress.getAllByName(name));
    } catch (UnknownHostException e) {
      throw new IOException(where + name + " has no address", e);
    }
  }
}
