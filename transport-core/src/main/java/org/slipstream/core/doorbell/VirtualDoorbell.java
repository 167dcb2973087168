package org.slipstream.core.doorbell;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.transport.Reactor;

/**
 * The pipe in which peers ring for the blocked virtual threads of this process. The control thread
 * takes the records out, all that have come at a time, and unparks the threads.
 *
 * <p>Each stream has a name of its own in the pipe, for as long as it is open. Names are not used
 * again, so a record that comes late wakes no other stream.
 */
public final class VirtualDoorbell implements Reactor.Handler {
  /** Makes the pipe. */
  @FunctionalInterface
  interface Opener {
    OwnPipe open() throws IOException;
  }

  private final Opener opener;
  private final Reactor reactor;

  /** By the names of their streams. Any thread. */
  private final Map<Integer, Sleeper> sleepers = new ConcurrentHashMap<>();

  private final AtomicInteger names = new AtomicInteger();

  /** Made for the first stream. Written once, under this. */
  private volatile @Nullable OwnPipe pipe;

  /** No pipe can be had, or what came out of it was nonsense: TCP wakes them. Only set. */
  private volatile boolean unusable;

  /**
   * Makes no pipe yet.
   *
   * @param opener makes it
   * @param reactor waits at the pipe
   */
  VirtualDoorbell(Opener opener, Reactor reactor) {
    this.opener = opener;
    this.reactor = reactor;
  }

  /**
   * Whether peers can ring here.
   *
   * @return false from some moment on
   */
  public boolean isUsable() {
    return !unusable;
  }

  /**
   * Where peers ring for a stream. By a reader of it; {@link #forget} follows when it is closed.
   *
   * @param sleeper of the stream
   * @return null if there is no pipe
   */
  public @Nullable PipeAddress name(Sleeper sleeper) {
    OwnPipe mine = pipe;
    if (mine == null) {
      mine = open();
      if (mine == null) {
        return null;
      }
    }
    int name = names.incrementAndGet();
    sleepers.put(name, sleeper);
    if (unusable) { // perhaps it was put behind the last look at all of them
      sleepers.remove(name);
      return null;
    }
    return mine.address(name);
  }

  /**
   * The stream is closed.
   *
   * @param address from {@link #name}
   */
  public void forget(PipeAddress address) {
    sleepers.remove(address.token());
  }

  private synchronized @Nullable OwnPipe open() {
    OwnPipe made = pipe;
    if (made != null || unusable) {
      return made;
    }
    try {
      made = opener.open();
      pipe = made; // before the first record
      reactor.register(made.source(), SelectionKey.OP_READ, this);
      return made;
    } catch (IOException | RuntimeException | LinkageError e) {
      failed(e); // a process without descriptors can not load classes either
      return null;
    }
  }

  /** Records have come. */
  @Override
  public void ready(SelectionKey key) throws IOException {
    OwnPipe mine = pipe;
    if (mine == null || !mine.drain(this::rung)) {
      throw new IOException("Half a record in the pipe of the virtual threads");
    }
  }

  private void rung(int name, int arming) {
    Sleeper sleeper = sleepers.get(name);
    if (sleeper != null) {
      sleeper.rung(arming);
    }
  }

  /** Records may be lost: each reader has to look, and finds another way to sleep. */
  @Override
  public void failed(Throwable cause) {
    unusable = true;
    sleepers.values().forEach(Sleeper::wake);
    sleepers.clear();
    OwnPipe mine = pipe;
    if (mine != null) {
      try {
        mine.close();
      } catch (IOException e) {
        cause.addSuppressed(e);
      }
    }
  }
}
