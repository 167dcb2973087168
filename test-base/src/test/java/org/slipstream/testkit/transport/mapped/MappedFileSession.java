package org.slipstream.testkit.transport.mapped;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slipstream.transport.Link;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.Window;

/**
 * One end of a session: side 0 made its three files, side 1 found them. Each side appends its
 * frames to a file of its own; the length -1 ends the session. (A backend that is used for days
 * needs a ring for them, and a way to hear that the peer was killed.)
 */
final class MappedFileSession implements Session {
  private final TransportHost host;
  private final ProcessId peer;
  private final Consumer<MappedFileSession> onEnd;
  private final MappedFileWindows windows;
  private final RandomAccessFile in;

  /** Its lock keeps frames whole. */
  private final RandomAccessFile out;

  private final AtomicBoolean over = new AtomicBoolean();

  MappedFileSession(
      TransportHost host, Path path, String peer, int side, Consumer<MappedFileSession> onEnd)
      throws IOException {
    this.host = host;
    this.peer =
        new ProcessId(
            HexFormat.fromHexDigitsToLong(peer, 0, 16),
            HexFormat.fromHexDigitsToLong(peer, 16, 32));
    this.onEnd = onEnd;
    out = new RandomAccessFile(path + "." + side, "rw");
    in = new RandomAccessFile(path + "." + (1 - side), "rw");
    windows = new MappedFileWindows(host, path, side, this::isOpen);
    if (side == 1) { // both have them open: the names are of no use any more
      for (String name : new String[] {path + ".0", path + ".1", path.toString()}) {
        Files.delete(Path.of(name));
      }
    }
  }

  @Override
  public void send(ByteBuffer frame) {
    ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + frame.remaining());
    append(bytes.putInt(frame.remaining()).put(frame).array());
  }

  private void append(byte[] bytes) {
    try {
      synchronized (out) {
        out.write(bytes);
      }
    } catch (IOException e) {
      abort("a frame was not written: " + e.getMessage()); // a full disk, or the end
    }
  }

  /** Looks for what the peer has written; all of it is hostile. Reactor only. */
  void poll() {
    try {
      while (isOpen() && available() >= Integer.BYTES) {
        int length = in.readInt();
        if (length < 0 || length > MAX_FRAME_BYTES) {
          throw new IOException("the peer ended the session: a frame of " + length + " bytes");
        }
        if (available() < length) {
          in.seek(in.getFilePointer() - Integer.BYTES); // the rest is on its way
          return;
        }
        byte[] frame = new byte[length];
        in.readFully(frame);
        host.frameReceived(this, ByteBuffer.wrap(frame));
      }
    } catch (IOException e) {
      abort(String.valueOf(e.getMessage()));
    }
  }

  private long available() throws IOException {
    return in.length() - in.getFilePointer();
  }

  @Override
  public Window allocateWindow() throws IOException {
    return windows.allocate();
  }

  @Override
  public Link join(Window own, ByteBuffer peerDescriptor) throws IOException {
    return windows.join(own, peerDescriptor);
  }

  @Override
  public ProcessId peer() {
    return peer;
  }

  @Override
  public String transportName() {
    return MappedFileTransport.NAME;
  }

  @Override
  public boolean isOpen() {
    return !over.get();
  }

  @Override
  public void abort(String cause) {
    if (over.compareAndSet(false, true)) {
      append(new byte[] {-1, -1, -1, -1});
      host.reactor().execute(() -> end(cause));
    }
  }

  private void end(String cause) {
    try (in;
        out) {
      windows.sessionEnded();
    } catch (IOException e) {
      host.warn("a file of a session was not closed: " + e.getMessage());
    }
    onEnd.accept(this);
    host.sessionLost(this, cause);
  }
}
