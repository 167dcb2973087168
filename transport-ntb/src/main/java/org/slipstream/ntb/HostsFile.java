package org.slipstream.ntb;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.HostLines;

/**
 * Which addresses belong to which nodes; the same file on all hosts. A line is an address (a
 * literal, no name), then the ways to its node in order of preference:
 *
 * <pre>
 *   # address     node id @ our adapter, or a file that both nodes map
 *   192.168.7.1   4&#64;0
 *   192.168.7.2   8&#64;0 8&#64;1
 *   192.168.9.1   1@/sys/bus/pci/devices/0000:00:04.0/resource2_wc
 *   192.168.9.2   2@/sys/bus/pci/devices/0000:00:04.0/resource2_wc
 * </pre>
 *
 * <p>The vendor's {@code dishosts.conf} is read as well: {@link DisHosts}. In a {@code
 * slipstream.hosts} the addresses of RDMA are left to that transport.
 */
final class HostsFile {
  private static final Pattern LITERAL = Pattern.compile("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.%]*");

  /** An address or a network of RDMA, which is not ours. */
  private static final Pattern OF_RDMA =
      Pattern.compile("(\\d{1,3}(\\.\\d{1,3}){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*)(/\\d{1,3})?");

  private static final Pattern ROUTE = Pattern.compile("(\\d{1,9})@(\\d{1,2}|/\\S+)");

  private final Map<InetAddress, List<Route>> routes = new LinkedHashMap<>();

  private HostsFile() {}

  /**
   * Reads a file.
   *
   * @throws IOException it can not be read, or a line can not be understood; one sentence
   */
  static HostsFile read(Path path) throws IOException {
    HostsFile hosts = new HostsFile();
    List<HostLines.Line> lines = HostLines.read("slipstream.ntb.hosts", path);
    if (DisHosts.isOne(lines)) {
      DisHosts.read(lines, hosts::add);
    } else {
      for (HostLines.Line line : lines) {
        hosts.add(line);
      }
    }
    return hosts;
  }

  private void add(HostLines.Line line) throws IOException {
    List<String> words = line.words();
    if (words.size() < 2) {
      throw new IOException(line.where() + "there is no NODE@ADAPTER behind the address");
    }
    List<Route> list = new ArrayList<>();
    for (String word : words.subList(1, words.size())) {
      Matcher m = ROUTE.matcher(word);
      if (m.matches()) {
        list.add(new Route(Integer.parseInt(m.group(1)), m.group(2)));
      } else if (!OF_RDMA.matcher(word).matches()) {
        throw new IOException(
            line.where() + word + " is not NODE@ADAPTER or NODE@/PATH, such as 8@0");
      }
    }
    if (!list.isEmpty()) {
      add(address(words.getFirst(), line.where()), list, line.where());
    }
  }

  /** An address and its ways. */
  private void add(InetAddress address, List<Route> ways, String where) throws IOException {
    if (routes.put(address, List.copyOf(ways)) != null) {
      throw new IOException(where + address.getHostAddress() + " is there twice");
    }
  }

  private static InetAddress address(String word, String where) throws IOException {
    if (LITERAL.matcher(word).matches()) {
      try {
        return InetAddress.ofLiteral(word);
      } catch (IllegalArgumentException e) {
        throw new IOException(where + word + " is not an address", e);
      }
    }
    throw new IOException(where + word + " is not an address (names are not looked up)");
  }

  /** The ways to an address in order of preference; empty if it is not in the file. */
  List<Route> routes(InetAddress address) {
    List<Route> found = routes.get(address);
    return found == null ? List.of() : found;
  }

  /** The file's paths of mapped windows. */
  Set<String> files() {
    Set<String> files = new LinkedHashSet<>();
    routes.values().forEach(l -> l.stream().filter(Route::isFile).forEach(r -> files.add(r.via())));
    return files;
  }

  /** Whether any node is reached by an adapter. */
  boolean usesAdapters() {
    return routes.values().stream().flatMap(List::stream).anyMatch(r -> !r.isFile());
  }

  /** All ways by adapters, each once. */
  Set<Route> adapterRoutes() {
    Set<Route> all = new LinkedHashSet<>();
    routes.values().forEach(l -> l.stream().filter(r -> !r.isFile()).forEach(all::add));
    return all;
  }

  /** The nodes at the two ends of a mapped file, ascending; more than two are a mistake. */
  List<Integer> nodesOf(String file) throws IOException {
    List<Integer> nodes =
        routes.values().stream()
            .flatMap(List::stream)
            .filter(r -> r.via().equals(file))
            .map(Route::node)
            .distinct()
            .sorted()
            .toList();
    if (nodes.size() != 2) {
      throw new IOException(file + " joins two nodes, but the hosts file names " + nodes);
    }
    return nodes;
  }

  /** The node at whose address this host is, among those that use a file. */
  @Nullable Integer ownNode(String file, Set<InetAddress> ownAddresses) {
    for (Map.Entry<InetAddress, List<Route>> entry : routes.entrySet()) {
      if (ownAddresses.contains(entry.getKey())) {
        for (Route route : entry.getValue()) {
          if (route.via().equals(file)) {
            return route.node();
          }
        }
      }
    }
    return null;
  }
}
