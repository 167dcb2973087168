package org.slipstream.shm;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;

/**
 * This process among the processes of its user: its control socket, its announcements, its
 * sessions. Opened by the first use; sweeps what dead processes left.
 */
final class ShmEndpoint implements Endpoint, Reactor.Handler {
  private static final System.Logger LOG = System.getLogger("org.slipstream.shm");
  private static final int BACKLOG = 128;

  private final TransportHost host;

  /** Guarded by this. */
  private @Nullable RuntimeDirectory directory;

  private @Nullable IOException failure;
  private @Nullable ServerSocketChannel listener;
  private boolean closed;

  /** How many listeners share one mark. Guarded by this. */
  private final Map<Path, Integer> marks = new HashMap<>();

  /** Sessions that we made, by the peer's name in the directory. Reactor only. */
  private final Map<String, ShmSession> outgoing = new HashMap<>();

  private final Set<ShmSession> all = new HashSet<>();
  private int slabs;

  ShmEndpoint(TransportHost host) {
    this.host = host;
  }

  /** Slab names are unique in our directory. Reactor only. */
  int nextSlabIndex() {
    return slabs++;
  }

  TransportHost host() {
    return host;
  }

  /** What we say of ourselves to a peer. */
  Wire.Hello hello() throws IOException {
    return new Wire.Hello(host.processId(), RuntimeDirectory.network());
  }

  /** Makes the directory and the control socket at the first use; a failure is final. */
  synchronized RuntimeDirectory directory() throws IOException {
    if (failure != null) {
      throw new IOException(failure.getMessage(), failure);
    }
    RuntimeDirectory dir = directory;
    if (dir == null) {
      if (closed) {
        throw new IOException("the process leaves");
      }
      try {
        dir = RuntimeDirectory.open(host.settings().runtimeDirectory(), host.processId());
        directory = dir;
        listener = listen(dir);
      } catch (IOException | UnsupportedOperationException e) {
        failure = e instanceof IOException io ? io : new IOException(e);
        throw failure;
      }
      RuntimeDirectory found = dir;
      host.reactor().execute(() -> new Sweeper(host, found).sweep());
    }
    return dir;
  }

  private ServerSocketChannel listen(RuntimeDirectory dir) throws IOException {
    ServerSocketChannel channel = host.openServerSocketChannel(StandardProtocolFamily.UNIX);
    try {
      channel.bind(UnixDomainSocketAddress.of(dir.socketOf(dir.name())), BACKLOG);
      host.reactor().register(channel, SelectionKey.OP_ACCEPT, this);
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** The control socket is readable: a process of ours, or a tool, connects. */
  @Override
  public void ready(SelectionKey key) throws IOException {
    SocketChannel channel;
    while ((channel = ((ServerSocketChannel) key.channel()).accept()) != null) {
      try {
        ShmSession session = new ShmSession(this, channel, null);
        all.add(session);
        session.start(true);
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "A peer went away", e);
        channel.close();
      }
    }
  }

  // -- announcing ------------------------------------------------------------------------------

  @Override
  public Closeable announce(InetSocketAddress address) throws IOException {
    RuntimeDirectory dir = directory();
    String hex = HexFormat.of().formatHex(canonical(address.getAddress()));
    synchronized (this) {
      Path mark = dir.announce(address.getPort(), hex);
      marks.merge(mark, 1, Integer::sum);
      return () -> withdraw(mark);
    }
  }

  private synchronized void withdraw(Path mark) {
    if (marks.computeIfPresent(mark, (m, n) -> n > 1 ? n - 1 : null) == null) {
      RuntimeDirectory.delete(mark);
      Path parent = mark.getParent();
      if (parent != null) {
        RuntimeDirectory.delete(parent);
      }
    }
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
    RuntimeDirectory dir;
    try {
      dir = directory();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "No shared memory", e);
      return 0;
    }
    String any = HexFormat.of().formatHex(new byte[16]);
    String hex = HexFormat.of().formatHex(canonical(remote.getAddress()));
    Set<String> found = new HashSet<>();
    for (Path entry : dir.marks(remote.getPort(), isOurs(dir, remote.getAddress()))) {
      String name = String.valueOf(entry.getFileName());
      if (name.endsWith("-" + hex) || name.endsWith("-" + any)) {
        found.add(name.substring(0, Math.min(name.length(), RuntimeDirectory.NAME_DIGITS)));
      }
    }
    int n = 0;
    for (String process : found) {
      if (sessionWith(dir, process, answer)) {
        n++;
      }
    }
    return n;
  }

  private boolean sessionWith(RuntimeDirectory dir, String process, Consumer<Session> answer) {
    ShmSession session = outgoing.get(process);
    if (session == null) {
      try {
        SocketChannel channel = host.openSocketChannel(StandardProtocolFamily.UNIX);
        session = new ShmSession(this, channel, process);
        outgoing.put(process, session);
        all.add(session);
        session.connect(UnixDomainSocketAddress.of(dir.socketOf(process)));
      } catch (IOException e) {
        // The process died without a goodbye.
        LOG.log(Level.DEBUG, "Process " + process + " does not answer", e);
        if (session != null) {
          session.abort("does not answer");
        }
        return false;
      }
    }
    session.whenReady(answer);
    return true;
  }

  /** A session is over. Reactor. */
  void ended(ShmSession session) {
    all.remove(session);
    String process = session.peerName();
    if (process != null) {
      outgoing.remove(process, session);
      RuntimeDirectory dir;
      synchronized (this) {
        dir = directory;
      }
      if (dir != null) {
        new Sweeper(host, dir).sweepSoon(process);
      }
    }
  }

  @Override
  public void close() {
    RuntimeDirectory dir;
    ServerSocketChannel channel;
    synchronized (this) {
      closed = true;
      dir = directory;
      channel = listener;
    }
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Closing the control socket", e);
    }
    if (dir != null) {
      dir.leave();
    }
  }

  /** For tests: what is open. */
  List<ShmSession> sessions() {
    return new ArrayList<>(all);
  }
}
