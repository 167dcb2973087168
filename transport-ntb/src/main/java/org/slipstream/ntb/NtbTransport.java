package org.slipstream.ntb;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slipstream.ntb.sisci.SisciLibrary;
import org.slipstream.transport.Availability;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Transport;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.TransportSettings;

/**
 * Windows behind PCIe Non-Transparent Bridges: by Dolphin's SISCI library, or by files that two
 * nodes map (a board's BAR, a DAX device, QEMU's ivshmem). {@code docs/NTB.md}.
 */
public final class NtbTransport implements Transport {

  /** The name that users see. */
  public static final String NAME = NtbSession.NAME;

  private final NtbSettings settings;

  /** Found by {@link java.util.ServiceLoader}; reads the system properties. */
  public NtbTransport() {
    this(NtbSettings.read(System.getProperties()));
  }

  /**
   * With settings of its own.
   *
   * @param settings unchecked
   */
  public NtbTransport(NtbSettings settings) {
    this.settings = settings;
  }

  @Override
  public boolean sharesMemory() {
    return true;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Availability availability() {
    if (settings.hosts() == null) {
      return Availability.no("slipstream.ntb.hosts names no hosts file");
    }
    try {
      HostsFile hosts = HostsFile.read(Path.of(settings.hosts()));
      MessageMac.readKey(settings);
      checkSettings();
      List<String> found = new ArrayList<>();
      if (hosts.usesAdapters()) {
        SisciLibrary library = SisciLibrary.load(settings.library());
        checkVersion(library);
        found.add(library.apiVersion());
        for (int adapter : SisciFabric.adapters(library)) {
          found.add(SisciFabric.describe(library, adapter));
        }
        if (found.size() == 1) {
          return Availability.no(library.name() + " finds no adapter");
        }
      }
      for (String file : hosts.files()) {
        found.add(describe(hosts, file));
      }
      return found.isEmpty()
          ? Availability.no(settings.hosts() + " names no host")
          : Availability.yes(String.join("; ", found));
    } catch (IOException | IllegalStateException e) {
      return Availability.no(String.valueOf(e.getMessage()));
    }
  }

  /** A hosts file with nodes says that NTB is wanted. */
  @Override
  public @Nullable String mistake() {
    if (settings.hosts() == null) {
      return null;
    }
    try {
      HostsFile hosts = HostsFile.read(Path.of(settings.hosts()));
      if (hosts.usesAdapters() || !hosts.files().isEmpty()) {
        MessageMac.readKey(settings);
        checkSettings();
      }
      return null;
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  /**
   * Asks every node of the hosts file whether it answers. A file that is mapped joins two hosts and
   * has room for one process of each, so there it looks for one of the other, and takes nothing.
   */
  @Override
  public Availability probe(TransportSettings rings) {
    Availability here = availability();
    if (!here.available()) {
      return here;
    }
    try {
      HostsFile hosts = HostsFile.read(Path.of(String.valueOf(settings.hosts())));
      List<String> answers = new ArrayList<>();
      boolean any = !hosts.files().isEmpty();
      if (hosts.usesAdapters()) {
        any |= SisciFabric.probe(SisciLibrary.load(settings.library()), hosts, answers);
      }
      for (String file : hosts.files()) {
        answers.add(probe(hosts, file));
      }
      if (answers.isEmpty()) {
        return Availability.no(settings.hosts() + " names no other node");
      }
      String all = String.join("; ", answers);
      return any ? Availability.yes(all) : Availability.no(all);
    } catch (IOException e) {
      return Availability.no(String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return here;
    }
  }

  private String probe(HostsFile hosts, String file) throws IOException, InterruptedException {
    Nodes nodes = nodes(hosts, file);
    boolean used = FileFabric.hasPeer(Path.of(file), nodes.own, nodes.peer);
    return used
        ? "node " + nodes.peer + " answers through " + file
        : "no process of node "
            + nodes.peer
            + " uses "
            + file
            + " at this moment; 'slipstream fabric' tries it with one";
  }

  private void checkSettings() throws IOException {
    String dma = settings.dma();
    if (!dma.equals("auto") && !dma.equals("off") && !dma.matches("[1-9]\\d{0,8}")) {
      throw new IOException(
          "slipstream.ntb.dma=" + dma + " is neither auto nor off nor a number of bytes");
    }
    if (settings.windowBytes() < 0) {
      throw new IOException(
          "slipstream.ntb.window=" + settings.window() + " is no number of bytes such as 64m");
    }
    if (!settings.check().equals("publish") && !settings.check().equals("commit")) {
      throw new IOException(
          "slipstream.ntb.check=" + settings.check() + " is neither commit nor publish");
    }
  }

  private static void checkVersion(SisciLibrary library) throws IOException {
    String version = library.apiVersion();
    if (!version.matches(".*version 2\\..*")) {
      throw new IOException(library.name() + " is '" + version + "'; version 2 is needed");
    }
  }

  @Override
  public Endpoint open(TransportHost host) throws IOException {
    checkSettings();
    HostsFile hosts = HostsFile.read(Path.of(String.valueOf(settings.hosts())));
    byte[] key = MessageMac.readKey(settings);
    Map<String, Fabric> fabrics = new LinkedHashMap<>();
    if (hosts.usesAdapters()) {
      SisciLibrary library = SisciLibrary.load(settings.library());
      for (Fabric fabric : SisciFabric.open(library, settings)) {
        fabrics.put(fabric.via(), fabric);
      }
    }
    for (String file : hosts.files()) {
      fabrics.put(file, openFile(hosts, file));
    }
    return new NtbEndpoint(host, hosts, fabrics, key);
  }

  /**
   * Of adapters only: a mapped file has room for one process of a host, and is left to one that has
   * the key.
   */
  @Override
  public @Nullable Endpoint openToRefuse(TransportHost host) throws IOException {
    if (settings.hosts() == null) {
      return null;
    }
    HostsFile hosts = HostsFile.read(Path.of(settings.hosts()));
    if (!hosts.usesAdapters() || hasKey()) {
      return null;
    }
    checkSettings();
    try {
      SisciLibrary library = SisciLibrary.load(settings.library());
      checkVersion(library);
      return new RefusingEndpoint(host.processId(), SisciFabric.open(library, settings));
    } catch (IllegalStateException e) {
      throw new IOException(e);
    }
  }

  private boolean hasKey() {
    try {
      MessageMac.readKey(settings);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private Fabric openFile(HostsFile hosts, String file) throws IOException {
    Nodes nodes = nodes(hosts, file);
    return FileFabric.open(Path.of(file), nodes.own, nodes.peer);
  }

  /** As {@link #openFile}, but takes nothing. */
  private String describe(HostsFile hosts, String file) throws IOException {
    Nodes nodes = nodes(hosts, file);
    WindowFile window = WindowFile.of(Path.of(file));
    window.check();
    return file + ": " + window.bytes() + " bytes, from node " + nodes.own + " to " + nodes.peer;
  }

  private record Nodes(int own, int peer) {}

  private Nodes nodes(HostsFile hosts, String file) throws IOException {
    List<Integer> nodes = hosts.nodesOf(file);
    int node = ownNode(hosts, file);
    int index = nodes.indexOf(node);
    if (index < 0) {
      throw new IOException(file + " joins nodes " + nodes + ", and we are node " + node);
    }
    return new Nodes(node, nodes.get(1 - index));
  }

  private int ownNode(HostsFile hosts, String file) throws IOException {
    String set = settings.node();
    if (set != null) {
      if (!set.matches("\\d{1,9}")) {
        throw new IOException("slipstream.ntb.node=" + set + " is not a node id");
      }
      return Integer.parseInt(set);
    }
    Set<InetAddress> own = new HashSet<>();
    for (NetworkInterface i : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      own.addAll(Collections.list(i.getInetAddresses()));
    }
    Integer node = hosts.ownNode(file, own);
    if (node == null) {
      throw new IOException(
          "no address of this host has " + file + " in the hosts file; set slipstream.ntb.node");
    }
    return node;
  }
}
