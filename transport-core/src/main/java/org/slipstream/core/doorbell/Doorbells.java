package org.slipstream.core.doorbell;

import java.io.IOException;
import java.nio.channels.Pipe;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;

/**
 * The doorbells of this process that are no bytes on TCP connections: pipes of its event loops and
 * of its virtual threads, pipes of its peers that it rings in, and futexes.
 */
public final class Doorbells {
  private final Descriptors descriptors;

  /** Inodes of the pipes of our event loops; each is added and removed by its loop. */
  private final Set<Long> ours = ConcurrentHashMap.newKeySet();

  private final PipeOpener opener;
  private final Futexes futexes;
  private final VirtualDoorbell virtualThreads;

  /**
   * Has no pipe yet.
   *
   * @param descriptors of the JDK
   * @param jdk the JDK's own provider
   * @param reactor of the process
   */
  public Doorbells(Descriptors descriptors, SelectorProvider jdk, Reactor reactor) {
    this.descriptors = descriptors;
    this.opener = new PipeOpener(descriptors, ours::contains);
    this.futexes = new Futexes(descriptors);
    this.virtualThreads = new VirtualDoorbell(() -> open(jdk), reactor);
  }

  /**
   * What wakes blocked virtual threads.
   *
   * @return nothing is prepared before the first use
   */
  public VirtualDoorbell virtualThreads() {
    return virtualThreads;
  }

  /**
   * The futexes of this process, and those of its peers.
   *
   * @return nothing is prepared before the first use
   */
  public Futexes futexes() {
    return futexes;
  }

  /**
   * Makes the pipe of an event loop.
   *
   * @param jdk the JDK's own provider
   * @return for that loop alone
   * @throws IOException without descriptors, without {@code /proc}, or without access to the JDK
   */
  public OwnPipe open(SelectorProvider jdk) throws IOException {
    Pipe pipe = jdk.openPipe();
    try {
      pipe.source().configureBlocking(false);
      long pid = ProcPipe.ownPid();
      int descriptor = descriptors.number(pipe.sink());
      Path path = ProcPipe.of(pid, descriptor);
      long inode = ProcPipe.inode(path);
      ours.add(inode);
      return new OwnPipe(pipe, PipeAddress.pipe(pid, descriptor), inode, () -> ours.remove(inode));
    } catch (IOException | RuntimeException e) {
      pipe.sink().close();
      pipe.source().close();
      throw e;
    }
  }

  /**
   * The pipes of a peer.
   *
   * @param session whose peer may name pipes
   * @param reactor opens them
   * @return none is open yet
   */
  public PeerPipes of(Session session, Reactor reactor) {
    return new PeerPipes(session, reactor, opener);
  }
}
