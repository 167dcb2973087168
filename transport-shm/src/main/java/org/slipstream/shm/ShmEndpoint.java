package org.slipstream.shm;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryEndpoint;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.PeerMemory;
import org.slipstream.transport.PeerSearch;
import org.slipstream.transport.Refusal;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;

/** This process among the processes of its user: finds peers, keeps the sessions with them. */
final class ShmEndpoint implements MemoryEndpoint, ShmSession.Home {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.shm");

  private final TransportHost host;
  private final Residence residence;
  private final Holes holes = Holes.asAllowed();

  /** Sessions that we made, by the peer's name in the directory. Reactor only. */
  private final Map<String, ShmSession> outgoing = new HashMap<>();

  private final Set<ShmSession> all = new HashSet<>();
  private int slabs;
  private final RingSizes ringSizes;
  private final AtomicInteger regions = new AtomicInteger();

  /** Where the last search found no mark. Reactor only. */
  private @Nullable InetSocketAddress unannounced;

  ShmEndpoint(TransportHost host) {
    this.host = host;
    this.residence = new Residence(host, this::accepted);
    this.ringSizes = new RingSizes(host);
  }

  @Override
  public int nextSlabIndex() {
    return slabs++;
  }

  @Override
  public TransportHost host() {
    return host;
  }

  @Override
  public Wire.Hello hello() throws IOException {
    return new Wire.Hello(host.processId(), RuntimeDirectory.network());
  }

  @Override
  public Holes holes() {
    return holes;
  }

  @Override
  public RingSizes ringSizes() {
    return ringSizes;
  }

  @Override
  public RuntimeDirectory directory() throws IOException {
    return residence.directory();
  }

  /** A process of ours, or a tool, has connected. Whatever is wrong with it ends with it. */
  private void accepted(SocketChannel channel) {
    ShmSession session = new ShmSession(this, channel, null);
    try {
      all.add(session);
      session.start(true);
    } catch (IOException | RuntimeException | Error e) {
      session.abort(String.valueOf(e.getMessage())); // a peer that went away already, for example
    }
  }

  // -- announcing ------------------------------------------------------------------------------

  @Override
  public Closeable announce(InetSocketAddress address) {
    return residence.announce(
        address.getPort(), HexFormat.of().formatHex(canonical(address.getAddress())));
  }

  /** 16 bytes; IPv4 mapped. The any-address of both families is all zeros. */
  private static byte[] canonical(InetAddress address) {
    byte[] raw = address.getAddress();
    byte[] all = new byte[16];
    if (!address.isAnyLocalAddress()) {
      if (raw.length == 4) {
        all[10] = (byte) 0xFF;
        all[11] = (byte) 0xFF;
      }
      System.arraycopy(raw, 0, all, all.length - raw.length, raw.length);
    }
    return all;
  }

  @Override
  public void beVisible() {
    try {
      directory();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Tools do not find this process", e);
    }
  }

  // -- finding ---------------------------------------------------------------------------------

  @Override
  public boolean reaches(InetSocketAddress local, InetSocketAddress remote) {
    try {
      return remote.getAddress().isLoopbackAddress()
          || remote.getAddress().equals(local.getAddress())
          || RuntimeDirectory.hasNeighbours(host.settings().runtimeDirectory());
    } catch (IOException e) {
      return false; // no directory: no neighbours
    }
  }

  /** Whether an address belongs to our network namespace; asked only if there are others. */
  private static boolean isOurs(RuntimeDirectory dir, InetAddress address) {
    try {
      return address.isLoopbackAddress()
          || dir.neighbours().isEmpty()
          || NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      return true;
    }
  }

  @Override
  public int findPeers(InetSocketAddress remote, Consumer<Session> answer, Runnable none) {
    unannounced = null;
    RuntimeDirectory dir;
    try {
      dir = directory();
    } catch (IOException e) {
      if (!residence.hasLeft()) {
        host.warn("connected streams stay on TCP: " + e.getMessage());
      }
      return 0;
    }
    PeerSearch search = new PeerSearch(answer, none);
    int n = 0;
    Set<String> announcers = announcers(dir, remote);
    if (announcers.isEmpty()) {
      unannounced = remote;
    }
    for (String process : announcers) {
      if (seekSession(dir, process, search)) {
        n++;
      }
    }
    return n;
  }

  /** The processes that say that they listen at an address. */
  private static Set<String> announcers(RuntimeDirectory dir, InetSocketAddress remote) {
    String any = HexFormat.of().formatHex(new byte[16]);
    String hex = HexFormat.of().formatHex(canonical(remote.getAddress()));
    Set<String> found = new HashSet<>();
    for (Path entry : dir.marks(remote.getPort(), isOurs(dir, remote.getAddress()))) {
      String name = String.valueOf(entry.getFileName());
      if (name.endsWith("-" + hex) || name.endsWith("-" + any)) {
        found.add(name.substring(0, Math.min(name.length(), RuntimeDirectory.NAME_DIGITS)));
      }
    }
    return found;
  }

  /**
   * A process that announces the address and could not be reached may be stopped, or without
   * descriptors for now, or we are; a process that died is swept, and its marks with it.
   */
  @Override
  public @Nullable Refusal refusal(InetSocketAddress local, InetSocketAddress remote) {
    try {
      return isAnnounced(remote) ? Refusal.SILENT : null;
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  public boolean mayFindLater(InetSocketAddress remote) {
    try {
      return isAnnounced(remote);
    } catch (IOException e) {
      return true; // tried again, less and less often
    }
  }

  private boolean isAnnounced(InetSocketAddress remote) throws IOException {
    return !remote.equals(unannounced) && !announcers(directory(), remote).isEmpty();
  }

  @Override
  public int findListeners(int most, Consumer<Session> answer) {
    int n = 0;
    try {
      RuntimeDirectory dir = directory();
      if (dir.neighbours().isEmpty()) {
        return 0; // in one network, addresses are what they are
      }
      for (String process : dir.listeners()) {
        if (n < most && seekSession(dir, process, new PeerSearch(answer, () -> {}))) {
          n++;
        }
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Listeners are not found", e);
    }
    return n;
  }

  private boolean seekSession(RuntimeDirectory dir, String process, PeerSearch search) {
    ShmSession session = outgoing.get(process);
    if (session == null) {
      try {
        session = connect(process, UnixDomainSocketAddress.of(dir.socketOf(process)));
      } catch (IOException e) {
        // The process died without a goodbye, or there are no descriptors.
        LOG.log(Level.DEBUG, "Process " + process + " does not answer", e);
        return false;
      }
    }
    search.found();
    session.whenReady(search);
    return true;
  }

  /** A session that could not begin must not be found by the next search: it would never open. */
  private ShmSession connect(String process, SocketAddress address) throws IOException {
    ShmSession session =
        new ShmSession(this, host.openSocketChannel(StandardProtocolFamily.UNIX), process);
    try {
      outgoing.put(process, session);
      all.add(session);
      session.connect(address);
      return session;
    } catch (IOException | RuntimeException | Error e) { // any: a class may be missing for good
      session.abort("does not answer");
      throw e;
    }
  }

  // -- one-sided memory ------------------------------------------------------------------------

  @Override
  public Closeable announceOwner(String owner) throws IOException {
    return residence.announceOwner(owner);
  }

  @Override
  public int findOwner(String owner, Consumer<Session> answer, Runnable lost) {
    int n = 0;
    try {
      RuntimeDirectory dir = directory();
      for (String process : dir.marked(RuntimeDirectory.ownerFolder(owner))) {
        if (seekSession(dir, process, new PeerSearch(answer, lost))) {
          n++;
        }
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Owners of memory are not found", e);
    }
    return n;
  }

  @Override
  public OwnMemory allocateMemory(long bytes) throws IOException {
    RuntimeDirectory dir = directory();
    int index = regions.getAndIncrement();
    return new OwnRegion(index, dir.regionOf(dir.name(), index), bytes);
  }

  @Override
  public long memoryLeft() throws IOException {
    RuntimeDirectory dir = directory();
    return OwnRegion.left(dir.regionOf(dir.name(), 0));
  }

  @Override
  public PeerMemory mapMemory(
      Session owner, ByteBuffer descriptor, long bytes, boolean writable, Arena arena)
      throws IOException {
    if (!(owner instanceof ShmSession session)
        || session.peerName() == null
        || descriptor.remaining() != OwnRegion.DESCRIPTOR_BYTES) {
      throw new IOException("A region was described wrongly");
    }
    Path path = directory().regionOf(session.peerName(), descriptor.getInt());
    MemorySegment mapped = OwnRegion.map(path, bytes, writable, arena);
    return () -> mapped;
  }

  @Override
  public void ended(ShmSession session) {
    all.remove(session);
    String process = session.peerName();
    if (process != null) {
      outgoing.remove(process, session);
      RuntimeDirectory dir = residence.last();
      if (dir != null) {
        new Sweeper(host, dir).sweepSoon(process);
      }
    }
  }

  @Override
  public void close() throws IOException {
    residence.leave();
  }

  /** For tests: what is open. */
  List<ShmSession> sessions() {
    return new ArrayList<>(all);
  }
}
