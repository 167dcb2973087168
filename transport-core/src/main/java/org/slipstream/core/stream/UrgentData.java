package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.MemoryFaults;

/**
 * TCP's urgent data. While a direction is on TCP, the two ends would count an urgent byte
 * differently (a receiver without OOBINLINE never sees it), so a stream that uses it stays plain.
 * Once on the ring there is no out of band: the byte goes in line if the peer wants that, and
 * otherwise on the TCP connection, where the peer's kernel drops it unread, as always.
 */
public final class UrgentData {
  private final StreamContext stream;
  private final SocketChannel tcp;
  private final Outbound out;
  private final LinkRelease release;

  UrgentData(StreamContext stream, Outbound out, LinkRelease release) {
    this.stream = stream;
    this.tcp = stream.tcp;
    this.out = out;
    this.release = release;
  }

  /**
   * Sends a byte out of band.
   *
   * @param data the low 8 bits count
   * @throws IOException from the TCP connection
   */
  public void send(int data) throws IOException {
    out.lock.lock();
    try {
      stream.state.checkOutput();
      StreamLink link = stream.link();
      if (!out.switching.completePending()) {
        throw new IOException("Socket buffer full");
      }
      if (link == null || !out.isRing()) {
        stream.slot.usesUrgentData();
      } else if ((link.consumer().peerFlags() & ControlLayout.FLAG_OOB_INLINE) != 0) {
        out.write(ByteBuffer.wrap(new byte[] {(byte) data}), tcp.isBlocking());
        MemoryFaults.settle();
        return;
      }
      MemoryFaults.settle();
      tcp.socket().sendUrgentData(data);
    } catch (InternalError e) {
      throw stream.slot.memoryFault(e);
    } finally {
      out.lock.unlock();
      release.afterUse();
    }
  }

  /**
   * The program switched OOBINLINE.
   *
   * @param on whether urgent bytes are to appear in line
   * @throws IOException the memory of the ring was taken away
   */
  public void inlineChanged(boolean on) throws IOException {
    out.lock.lock();
    try {
      // The peer's direction may be in the ring although ours is not: what it sends now has to come
      // in line, because our kernel would give us its urgent byte among the control bytes.
      boolean told = stream.state.isOpen() && MemoryFaults.settled(stream.slot.inlineChanged(on));
      if (on && !told) {
        stream.slot.usesUrgentData();
      }
    } catch (InternalError e) {
      throw stream.slot.memoryFault(e);
    } finally {
      out.lock.unlock();
      release.afterUse();
    }
  }
}
