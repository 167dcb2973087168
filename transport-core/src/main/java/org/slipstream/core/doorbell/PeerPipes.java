package org.slipstream.core.doorbell;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;

/**
 * The pipes of a peer's event loops that its streams have named: each is opened once, by the
 * reactor, and kept while the session has links. What can not be opened is not tried again.
 */
public final class PeerPipes {
  /** Event loops of one peer that are woken by pipes; with more, the eldest ones make room. */
  private static final int MOST = 64;

  /** Links that come and go leave the pipes open for so long, at least. */
  static final long QUIET_NS = 2_000_000_000L;

  private final Session session;
  private final Reactor reactor;
  private final PipeOpener opener;

  /** From the eldest to the youngest. Guarded by this. */
  private final List<PeerPipe> pipes = new ArrayList<>();

  /** The session is over. Guarded by this. */
  private boolean ended;

  /** Links of the session. Reactor only. */
  private int links;

  private boolean closing;

  PeerPipes(Session session, Reactor reactor, PipeOpener opener) {
    this.session = session;
    this.reactor = reactor;
    this.opener = opener;
  }

  /** A link was made. Reactor. */
  public void linkMade() {
    links++;
  }

  /** A link will not be used again. Reactor. */
  public void linkGone() {
    if (--links == 0 && !closing) {
      try {
        reactor.schedule(QUIET_NS, this::closeIfUnused);
        closing = true;
      } catch (OutOfMemoryError e) {
        return; // it stays open until the next last link goes
      }
    }
  }

  private void closeIfUnused() {
    closing = false;
    if (links == 0) {
      closeAll();
    }
  }

  /** The session is over. */
  public synchronized void end() {
    ended = true;
    closeAll();
  }

  private synchronized void closeAll() {
    pipes.forEach(PeerPipe::close);
    pipes.clear();
  }

  /** The pipe of these words, which is opened if it is a new one. By a writer. */
  synchronized PeerPipe find(long address, long inode) {
    for (PeerPipe pipe : pipes) {
      if (pipe.isAt(address, inode)) {
        return pipe;
      }
    }
    PeerPipe pipe = new PeerPipe(address, inode);
    if (!ended) {
      if (pipes.size() == MOST) {
        pipes.removeFirst().close();
      }
      pipes.add(pipe);
      reactor.execute(() -> open(pipe));
    }
    return pipe;
  }

  private void open(PeerPipe pipe) {
    try {
      if (!pipe.isClosed() && session.isOpen()) {
        pipe.opened(opener.open(session, pipe.address(), pipe.inode()));
      }
    } catch (IOException | RuntimeException e) {
      opener.failed(session, e);
    }
  }
}
