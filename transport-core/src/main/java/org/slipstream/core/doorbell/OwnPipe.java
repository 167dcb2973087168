package org.slipstream.core.doorbell;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Pipe;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.transport.OutOfLine;

/**
 * The pipe that wakes one event loop. Belongs to the loop's thread.
 *
 * <p>A process that can write into it can read it too, and is one of this user: what comes out is
 * still checked, as it may be the half of a record.
 */
public final class OwnPipe implements AutoCloseable {
  /** So many bytes are taken out at a time; a selector reports the rest again. */
  private static final int READ_BYTES = 4096;

  /** What is done with a record. */
  @FunctionalInterface
  public interface Listener {
    /**
     * A writer has rung.
     *
     * @param token the stream that it named; hostile
     * @param arming the number that it named; hostile
     */
    void rung(int token, int arming);
  }

  private final Pipe pipe;
  private final long address;
  private final long inode;
  private final Runnable onClose;
  private final ByteBuffer records =
      ByteBuffer.allocateDirect(READ_BYTES).order(ByteOrder.LITTLE_ENDIAN);

  OwnPipe(Pipe pipe, long address, long inode, Runnable onClose) {
    this.pipe = pipe;
    this.address = address;
    this.inode = inode;
    this.onClose = onClose;
  }

  /**
   * Where a selector finds that a writer has rung.
   *
   * @return in non-blocking mode
   */
  public Pipe.SourceChannel source() {
    return pipe.source();
  }

  /**
   * How peers find the pipe, for one stream.
   *
   * @param token what their records for that stream begin with
   * @return to be written into the window of the peer
   */
  public PipeAddress address(int token) {
    return new PipeAddress(address, inode, token);
  }

  /**
   * Takes records out.
   *
   * @param listener told of each
   * @return false if something else than whole records was in the pipe: then nothing that comes out
   *     of it can be trusted any more
   * @throws IOException from the pipe
   */
  @OutOfLine
  public boolean drain(Listener listener) throws IOException {
    records.clear();
    pipe.source().read(records);
    records.flip();
    while (records.remaining() >= Long.BYTES) {
      long record = records.getLong();
      listener.rung((int) (record >>> Integer.SIZE), (int) record);
    }
    return !records.hasRemaining();
  }

  /** Closes both ends; a selector must have forgotten the source, or do so later. */
  @Override
  public void close() throws IOException {
    onClose.run();
    try {
      pipe.sink().close();
    } finally {
      pipe.source().close();
    }
  }
}
