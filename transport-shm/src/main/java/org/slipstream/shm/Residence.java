package org.slipstream.shm;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.Withdrawal;

/**
 * Where other processes find this one: its part of the runtime directory, its control socket, and
 * the marks of its listeners. Made at the first use. Made again by the next use if any of it is
 * gone, since the login manager removes the directories of a user that has logged out, or if the
 * directory is to be elsewhere by now. What could not be made, for want of descriptors for example,
 * is tried again after a pause, and so is a failed accept.
 */
final class Residence implements Reactor.Handler {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.shm");
  private static final int BACKLOG = 128;

  /** A process without descriptors gets some back in its own time. */
  static final long ACCEPT_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

  static final long FIRST_RETRY_NS = TimeUnit.SECONDS.toNanos(1);

  /** A directory that another user has taken costs one look a minute. */
  static final long LAST_RETRY_NS = TimeUnit.SECONDS.toNanos(60);

  /** What a mark says. */
  private record Mark(String folder, String what) {}

  private final TransportHost host;
  private final Consumer<SocketChannel> accepted;

  // All guarded by this.
  private @Nullable RuntimeDirectory directory;
  private @Nullable ServerSocketChannel listener;
  private final Map<Mark, Integer> users = new HashMap<>();
  private final Set<Mark> missing = new HashSet<>();
  private @Nullable IOException failure;
  private long retryNs = FIRST_RETRY_NS;
  private boolean retrying;
  private boolean closed;

  /**
   * Nothing is made yet.
   *
   * @param accepted takes the connections of peers and tools; on the reactor
   */
  Residence(TransportHost host, Consumer<SocketChannel> accepted) {
    this.host = host;
    this.accepted = accepted;
  }

  /** The directory, in which this process can be found. */
  synchronized RuntimeDirectory directory() throws IOException {
    RuntimeDirectory dir = directory;
    if (dir != null && isThere(dir)) {
      return dir;
    }
    if (closed) {
      throw new IOException("the process leaves");
    }
    if (failure != null) {
      throw new IOException(failure.getMessage(), failure);
    }
    try {
      return settle(dir);
    } catch (IOException | UnsupportedOperationException e) {
      failure = e instanceof IOException io ? io : new IOException(e);
      retryLater();
      throw failure;
    }
  }

  /** Whether it is over: what needs the directory then is late, and not wrong. */
  synchronized boolean hasLeft() {
    return closed;
  }

  /** The directory that was made last, which need not be there any more; null before the first. */
  synchronized @Nullable RuntimeDirectory last() {
    return directory;
  }

  private boolean isThere(RuntimeDirectory dir) throws IOException {
    return listener != null
        && listener.isOpen()
        && dir.isCurrent(host.settings().runtimeDirectory());
  }

  private RuntimeDirectory settle(@Nullable RuntimeDirectory before) throws IOException {
    RuntimeDirectory dir =
        RuntimeDirectory.open(host.settings().runtimeDirectory(), host.processId());
    final ServerSocketChannel former = listener;
    listener = listen(dir);
    directory = dir;
    missing.addAll(users.keySet());
    retryNs = FIRST_RETRY_NS;
    if (former != null) {
      former.close(); // what waits there hears so, and searches again
    }
    if (before != null && !before.own().equals(dir.own())) {
      before.leave();
    }
    host.reactor().execute(() -> new Sweeper(host, dir).sweep());
    try {
      setMarks(dir);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Listeners are not announced yet", e);
      retryLater();
    }
    return dir;
  }

  private ServerSocketChannel listen(RuntimeDirectory dir) throws IOException {
    ServerSocketChannel channel = host.openServerSocketChannel(StandardProtocolFamily.UNIX);
    try {
      // A socket that is bound and does not listen yet refuses connections, and a process that is
      // starting too would take us for dead and remove us. So it gets its name when it listens.
      Path bound = dir.newSocket();
      Files.deleteIfExists(bound);
      channel.bind(UnixDomainSocketAddress.of(bound), BACKLOG);
      Files.move(bound, dir.socketOf(dir.name()), StandardCopyOption.ATOMIC_MOVE);
      host.reactor().register(channel, SelectionKey.OP_ACCEPT, this);
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  // -- marks -----------------------------------------------------------------------------------

  /**
   * Announces a listener, now or as soon as that is possible.
   *
   * @return closed with the listener
   */
  Closeable announce(int port, String address) {
    return announce(new Mark(RuntimeDirectory.portFolder(port), address));
  }

  /**
   * Announces this process as an owner of memory.
   *
   * @return closed when the name goes
   * @throws IOException if there is no directory now
   */
  Closeable announceOwner(String owner) throws IOException {
    directory();
    return announce(new Mark(RuntimeDirectory.ownerFolder(owner), ""));
  }

  private Closeable announce(Mark mark) {
    synchronized (this) {
      if (users.merge(mark, 1, Integer::sum) == 1) {
        missing.add(mark);
      }
      try {
        setMarks(directory());
      } catch (IOException e) {
        host.warn("accepted streams stay on TCP: " + e.getMessage());
        retryLater();
      }
    }
    return new Withdrawal(() -> withdraw(mark));
  }

  private void setMarks(RuntimeDirectory dir) throws IOException {
    for (Mark mark : Set.copyOf(missing)) {
      dir.announce(mark.folder, mark.what);
      missing.remove(mark);
    }
  }

  private synchronized void withdraw(Mark mark) {
    if (users.computeIfPresent(mark, (m, n) -> n > 1 ? n - 1 : null) == null) {
      missing.remove(mark);
      if (directory != null) {
        directory.withdraw(mark.folder, mark.what);
      }
    }
  }

  // -- trying again ----------------------------------------------------------------------------

  private void retryLater() {
    if (!retrying && !closed) {
      host.reactor().schedule(retryNs, this::retry); // runs later, and not before this is left
      retrying = true;
      retryNs = Math.min(LAST_RETRY_NS, 2 * retryNs);
    }
  }

  private synchronized void retry() {
    retrying = false;
    failure = null;
    if (users.isEmpty() || closed) {
      return; // the next use tries
    }
    try {
      setMarks(directory());
      retryNs = FIRST_RETRY_NS;
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Listeners are not announced yet", e);
      retryLater();
    }
  }

  // -- the control socket ----------------------------------------------------------------------

  /** A peer or a tool connects. A failed accept is no failure of the listener. */
  @Override
  public void ready(SelectionKey key) throws IOException {
    ServerSocketChannel server = (ServerSocketChannel) key.channel();
    while (true) {
      SocketChannel channel;
      try {
        channel = server.accept();
      } catch (ClosedChannelException e) {
        throw e;
      } catch (IOException | RuntimeException | Error e) {
        // Without descriptors. What connects waits in the backlog, which keeps the key ready.
        key.interestOps(0);
        host.reactor().schedule(ACCEPT_PAUSE_NS, () -> resume(key));
        return;
      }
      if (channel == null) {
        return;
      }
      try {
        accepted.accept(channel);
      } catch (RuntimeException | Error e) {
        close(channel); // a class that can not be loaded now, and no fault of the listener
      }
    }
  }

  /** The process at its other end would wait for a session for ever. */
  private static void close(SocketChannel refused) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        refused.close();
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  private void resume(SelectionKey key) {
    if (key.isValid()) {
      key.interestOps(SelectionKey.OP_ACCEPT);
    }
  }

  /** The control socket is closed although this process goes on: no process finds it any more. */
  @Override
  public synchronized void failed(Throwable cause) {
    if (!closed) {
      retryLater();
    }
  }

  /** Removes everything that others see of this process. */
  void leave() throws IOException {
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
    } finally {
      if (dir != null) {
        new Sweeper(host, dir).sweep(); // a killed process may have had no session with any
        dir.leave();
      }
    }
  }
}
