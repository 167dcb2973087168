package org.slipstream.ntb;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slipstream.ntb.sisci.Descriptor;
import org.slipstream.ntb.sisci.LocalDataInterrupt;
import org.slipstream.ntb.sisci.LocalSegment;
import org.slipstream.ntb.sisci.RemoteDataInterrupt;
import org.slipstream.ntb.sisci.RemoteSegment;
import org.slipstream.ntb.sisci.SisciError;
import org.slipstream.ntb.sisci.SisciException;
import org.slipstream.ntb.sisci.SisciLibrary;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MessageCode;

/** One adapter of the SISCI library. */
final class SisciFabric implements Fabric {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.ntb");

  /** More adapters than any board has. */
  private static final int MAX_ADAPTERS = 8;

  private record Receiver(int node, int inbox) {}

  private final SisciLibrary library;
  private final int adapter;
  private final int node;
  private final Adapter shared;
  private final Descriptor inboxDevice;
  private final LocalDataInterrupt inbox;

  /** Connected inboxes of others. Guarded by itself. */
  private final Map<Receiver, RemoteDataInterrupt> receivers = new HashMap<>();

  private volatile boolean closed;

  private SisciFabric(SisciLibrary library, int adapter, NtbSettings settings) throws IOException {
    this.library = library;
    this.adapter = adapter;
    this.node = library.localNodeId(adapter);
    this.shared = new Adapter(library, adapter, settings);
    this.inboxDevice = new Descriptor(library);
    this.inbox = inboxDevice.createDataInterrupt(adapter);
  }

  /** All adapters of a library. */
  static List<Fabric> open(SisciLibrary library, NtbSettings settings) throws IOException {
    List<Fabric> fabrics = new ArrayList<>();
    for (int adapter : adapters(library)) {
      fabrics.add(new SisciFabric(library, adapter, settings));
    }
    if (fabrics.isEmpty()) {
      throw new IOException(library.name() + " finds no adapter");
    }
    return fabrics;
  }

  /** The numbers of the adapters that are there. */
  static List<Integer> adapters(SisciLibrary library) {
    List<Integer> found = new ArrayList<>();
    for (int adapter = 0; adapter < MAX_ADAPTERS; adapter++) {
      try {
        library.localNodeId(adapter);
        found.add(adapter);
      } catch (IOException e) {
        LOG.log(Level.TRACE, "No adapter " + adapter, e);
      }
    }
    return found;
  }

  @Override
  public String via() {
    return Integer.toString(adapter);
  }

  @Override
  public int node() {
    return node;
  }

  static String describe(SisciLibrary library, int adapter) {
    try {
      return "adapter "
          + adapter
          + " is node "
          + library.localNodeId(adapter)
          + ", link "
          + (library.isLinkUp(adapter) ? "up" : "down");
    } catch (IOException e) {
      return "adapter " + adapter + ": " + e.getMessage();
    }
  }

  /**
   * Asks the other nodes of a hosts file.
   *
   * @param answers grows by a sentence for each
   * @return whether any answers
   */
  static boolean probe(SisciLibrary library, HostsFile hosts, List<String> answers)
      throws IOException {
    boolean any = false;
    List<Integer> here = adapters(library);
    try (Descriptor device = new Descriptor(library)) {
      for (Route route : hosts.adapterRoutes()) {
        int adapter = Integer.parseInt(route.via());
        if (!here.contains(adapter)) {
          answers.add("there is no adapter " + adapter + " to node " + route.node());
        } else if (library.localNodeId(adapter) != route.node()) {
          boolean up = device.probe(adapter, route.node());
          any |= up;
          answers.add(
              "node "
                  + route.node()
                  + (up ? " answers" : " does not answer")
                  + " through adapter "
                  + adapter);
        }
      }
    }
    return any;
  }

  @Override
  public @Nullable Exported export(int segmentId, long bytes, byte[] content) throws IOException {
    Descriptor device = new Descriptor(library);
    LocalSegment segment = null;
    try {
      segment = device.createSegment(segmentId, bytes, 0);
      segment.prepare(adapter, 0);
      SisciExported exported = new SisciExported(shared, device, segment, segmentId, bytes);
      MemorySegment.copy(content, 0, exported.memory(), JAVA_BYTE, 0, content.length);
      segment.setAvailable(adapter);
      return exported;
    } catch (SisciException e) {
      Quietly.close(segment);
      Quietly.close(device);
      if (e.error() == SisciError.SEGMENTID_USED) {
        return null;
      }
      throw e;
    }
  }

  @Override
  public @Nullable Imported connect(int remote, int segmentId, boolean bulk) throws IOException {
    Descriptor device = new Descriptor(library);
    RemoteSegment segment = null;
    try {
      segment = device.connectSegment(remote, segmentId, adapter);
      if (segment == null) {
        device.close();
        return null;
      }
      shared.reserve(segment.bytes());
      try {
        return new SisciImported(shared, device, segment, bulk);
      } catch (SisciException e) {
        shared.unmapped(segment.bytes());
        throw e;
      }
    } catch (IOException e) {
      Quietly.close(segment);
      Quietly.close(device);
      throw e;
    }
  }

  @Override
  public int inbox() {
    return inbox.number();
  }

  @Override
  public byte @Nullable [] await(int millis) {
    try {
      return closed ? null : inbox.await(MESSAGE_BYTES, millis);
    } catch (SisciException e) {
      if (!closed) {
        LOG.log(
            Level.WARNING,
            MessageCode.NTB_NO_MESSAGES.text(
                "No messages from other nodes any more: " + e.getMessage()));
        closed = true;
      }
      return null;
    }
  }

  @Override
  public boolean send(int to, int number, byte[] message) {
    synchronized (receivers) {
      Receiver receiver = new Receiver(to, number);
      try {
        RemoteDataInterrupt interrupt = receivers.get(receiver);
        if (interrupt == null) {
          interrupt = inboxDevice.connectDataInterrupt(to, adapter, number);
          if (interrupt == null) {
            return false;
          }
          receivers.put(receiver, interrupt);
        }
        return interrupt.trigger(message);
      } catch (SisciException e) {
        LOG.log(Level.DEBUG, "Node " + to + " takes no message", e);
        Quietly.close(receivers.remove(receiver));
        return false;
      }
    }
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  /** The thread in {@link #await} ends by itself; the driver takes the rest when we exit. */
  @Override
  public void close() {
    closed = true;
  }
}
