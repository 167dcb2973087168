package org.slipstream.memory;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import org.slipstream.transport.Availability;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryEndpoint;
import org.slipstream.transport.MessageCode;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.Session;
import org.slipstream.transport.Transport;
import org.slipstream.transport.TransportHost;

/**
 * The transports over which this process shares memory. The first one allocates it; where that has
 * loads and stores, it comes first. Safe for any thread unless a method says so.
 */
final class Media implements Closeable {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.memory");
  private static final String SETTING = "slipstream.transports";

  /** By the names of their transports. */
  private final Map<String, MemoryEndpoint> all;

  private Media(Map<String, MemoryEndpoint> all) {
    this.all = all;
  }

  /** For tests: one of any name. */
  static Media of(String name, MemoryEndpoint endpoint) {
    return new Media(Map.of(name, endpoint));
  }

  /**
   * Opens those that are there and that {@code slipstream.transports} does not leave out.
   *
   * @throws IOException if there is none; the message says what to do
   */
  static Media open(TransportHost host) throws IOException {
    String reason = "no transport that shares memory is on the class path or module path";
    List<Transport> named = new ArrayList<>();
    List<Transport> others = new ArrayList<>();
    String wanted = System.getProperty(SETTING);
    for (Transport transport : ServiceLoader.load(Transport.class, Media.class.getClassLoader())) {
      if (transport.sharesMemory() && (wanted == null || isAmong(transport.name(), wanted))) {
        // The one that shows the process has its files, and so the memory that all can share.
        (transport.showsProcess() ? named : others).add(transport);
      }
    }
    named.addAll(others);
    Map<String, MemoryEndpoint> opened = new LinkedHashMap<>();
    IOException failure = null;
    for (Transport transport : named) {
      Availability availability = transport.memoryAvailability();
      if (availability.available()) {
        try {
          opened.put(transport.name(), (MemoryEndpoint) transport.open(host));
        } catch (IOException e) {
          failure = e;
          if (transport.showsProcess()) {
            throw e; // without it, processes of this host would not meet
          }
          LOG // a mapped file that another process of this node has, for example
              .log(
              Level.WARNING,
              MessageCode.TRANSPORT_NOT_USED.text(
                  "Transport " + transport.name() + " is not used: " + e.getMessage()));
        }
      } else {
        reason = availability.reason();
      }
    }
    if (opened.isEmpty() && failure != null) {
      throw failure;
    }
    if (opened.isEmpty()) {
      throw new IOException(reason);
    }
    return new Media(opened);
  }

  private static boolean isAmong(String name, String names) {
    return List.of(names.replace(" ", "").split(",", -1)).contains(name);
  }

  /** Whether all memory that is mapped here is reached by loads and stores. */
  boolean areDirect() {
    return all.values().stream().noneMatch(MemoryEndpoint::meetsByAddress);
  }

  /** The one to which a session belongs. */
  MemoryEndpoint of(Session session) throws IOException {
    MemoryEndpoint endpoint = all.get(session.transportName());
    if (endpoint == null) {
      throw new IOException("No memory is shared over " + session.transportName());
    }
    return endpoint;
  }

  /** Memory that peers can map over each of them. May block while the system finds the storage. */
  OwnMemory allocate(long bytes) throws IOException {
    Map<String, OwnMemory> parts = new LinkedHashMap<>();
    try {
      for (Map.Entry<String, MemoryEndpoint> each : all.entrySet()) {
        MemoryEndpoint endpoint = each.getValue();
        parts.put(
            each.getKey(),
            parts.isEmpty()
                ? endpoint.allocateMemory(bytes)
                : endpoint.shareMemory(parts.values().iterator().next().segment()));
      }
      return parts.size() == 1 ? parts.values().iterator().next() : new SharedMemory(parts);
    } catch (IOException e) {
      parts.values().forEach(OwnMemory::close);
      throw e;
    }
  }

  /** How much could be allocated now; the first medium allocates. Any thread but the reactor. */
  long memoryLeft() throws IOException {
    return all.values().iterator().next().memoryLeft();
  }

  /** Lets peers find this process by a name. */
  Closeable announce(Owner owner) throws IOException {
    List<Closeable> made = new ArrayList<>();
    InetSocketAddress address = owner.address();
    try {
      for (MemoryEndpoint endpoint : all.values()) {
        if (!endpoint.meetsByAddress()) {
          made.add(endpoint.announceOwner(owner.key()));
        } else if (address != null) {
          made.add(endpoint.announceOwner(address));
        }
      }
    } catch (IOException e) {
      close(made);
      throw e;
    }
    return () -> close(made);
  }

  /** Lets processes of this host find this one by what it does. */
  Closeable announceRole(String role) throws IOException {
    List<Closeable> made = new ArrayList<>();
    try {
      for (MemoryEndpoint endpoint : all.values()) {
        if (!endpoint.meetsByAddress()) {
          made.add(endpoint.announceOwner(role));
        }
      }
    } catch (IOException e) {
      close(made);
      throw e;
    }
    return () -> close(made);
  }

  /**
   * Finds the processes of this host that have announced a role. Reactor only.
   *
   * @param answer called once for each with which there is a session
   * @param lost called once for each that did not answer
   * @return how often one of the two is called
   */
  int findRole(String role, Consumer<Session> answer, Runnable lost) {
    int found = 0;
    for (MemoryEndpoint endpoint : all.values()) {
      if (!endpoint.meetsByAddress()) {
        found += endpoint.findOwner(role, answer, lost);
      }
    }
    return found;
  }

  /**
   * Finds an owner: on this host if it is there, else at its address. Reactor only.
   *
   * @param answer called once for each process with which there is a session
   * @param lost called once for each that was found on this host and did not answer
   * @param none called once instead if there is no process at the address
   * @return how often one of the two is called
   */
  int find(Owner owner, Consumer<Session> answer, Runnable lost, Runnable none) {
    int found = 0;
    for (MemoryEndpoint endpoint : all.values()) {
      if (!endpoint.meetsByAddress()) {
        for (String key : owner.keys()) {
          found += endpoint.findOwner(key, answer, lost);
        }
      }
    }
    InetSocketAddress address = owner.address();
    if (found > 0 || address == null || address.getAddress().isAnyLocalAddress()) {
      return found;
    }
    for (MemoryEndpoint endpoint : all.values()) {
      if (endpoint.meetsByAddress()) {
        found += endpoint.findOwner(address, answer, none);
      }
    }
    return found;
  }

  @Override
  public void close() {
    close(all.values());
  }

  private static void close(Iterable<? extends Closeable> these) {
    for (Closeable each : these) {
      try {
        each.close();
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "Leaving", e);
      }
    }
  }
}
