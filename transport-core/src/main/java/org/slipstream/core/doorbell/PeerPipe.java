package org.slipstream.core.doorbell;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.ring.PipeAddress;

/**
 * The pipe of one event loop of a peer, as we write into it. Never waits: the descriptor is
 * non-blocking, and what the pipe does not take goes by TCP.
 */
final class PeerPipe {
  private final long address;
  private final long inode;

  /** Under the monitor. */
  private final byte[] bytes = new byte[Long.BYTES];

  private final ByteBuffer record = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);

  /**
   * Set by the reactor, which opens the pipe, and cleared by the thread that closes it; both under
   * the monitor.
   */
  private volatile @Nullable RandomAccessFile file;

  /** Set once, under the monitor. */
  private volatile boolean closed;

  PeerPipe(long address, long inode) {
    this.address = address;
    this.inode = inode;
  }

  boolean isAt(long where, long node) {
    return address == where && inode == node;
  }

  long address() {
    return address;
  }

  long inode() {
    return inode;
  }

  /** Another one may be had in its place. */
  boolean isClosed() {
    return closed;
  }

  /** Any thread. */
  boolean ring(int token, int arming) {
    if (file == null) {
      return false;
    }
    synchronized (this) { // a number of a closed descriptor may be another file's
      RandomAccessFile open = file;
      if (open == null) {
        return false;
      }
      record.putLong(0, PipeAddress.rung(token, arming));
      try {
        open.write(bytes); // one write(2): a pipe takes all of the record, or nothing
        return true;
      } catch (IOException e) {
        return false; // full
      }
    }
  }

  /** Reactor. Takes the file over. */
  synchronized void opened(RandomAccessFile open) throws IOException {
    if (closed) {
      open.close();
    } else {
      file = open;
    }
  }

  /** Any thread. */
  synchronized void close() {
    closed = true;
    RandomAccessFile open = file;
    file = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        // Nothing was buffered, and the descriptor is gone either way.
        return;
      }
    }
  }
}
