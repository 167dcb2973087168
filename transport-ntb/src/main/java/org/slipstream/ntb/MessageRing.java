package org.slipstream.ntb;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.slipstream.transport.Session;

/**
 * Messages of a session, in order, in both directions: stored into the peer's session segment, read
 * out of our own. Sending never waits: what has no room is queued.
 */
final class MessageRing {
  /** The longest body that is accepted. */
  private static final int MAX_BODY = Session.MAX_FRAME_BYTES;

  /** Takes whole messages. */
  interface Receiver {
    /** Returns false if no further message is to be delivered now. */
    boolean message(byte kind, ByteBuffer body) throws IOException;
  }

  private final MemorySegment own;
  private final Imported peer;
  private final MessageMac outMac;
  private final MessageMac inMac;
  private final ReentrantLock sendLock = new ReentrantLock();

  /** Whole messages that had no room; guarded by sendLock. */
  private final Deque<byte[]> queue = new ArrayDeque<>();

  private long position;
  private long sent;
  private long requests;
  private boolean closed;
  private volatile long queuedBytes;

  /** Reactor only. */
  private long taken;

  private long received;
  private long answeredRequests;

  MessageRing(MemorySegment own, Imported peer, MessageMac outMac, MessageMac inMac) {
    this.own = own;
    this.peer = peer;
    this.outMac = outMac;
    this.inMac = inMac;
  }

  long queuedBytes() {
    return queuedBytes;
  }

  /**
   * Sends a message, or queues it. Any thread.
   *
   * @return whether the peer should be woken
   */
  boolean send(byte kind, ByteBuffer body) {
    sendLock.lock();
    try {
      if (closed) {
        return false;
      }
      byte[] message = wrap(kind, body);
      if (queue.isEmpty() && store(message)) {
        return true;
      }
      queue.add(message);
      queuedBytes += message.length;
      if (queue.size() == 1) {
        requestRoom();
      }
      return flushQueue();
    } finally {
      sendLock.unlock();
    }
  }

  /** Tries again what was queued; returns whether the peer should be woken. */
  boolean flush() {
    sendLock.lock();
    try {
      return !closed && flushQueue();
    } finally {
      sendLock.unlock();
    }
  }

  private boolean flushQueue() {
    boolean any = false;
    byte[] head;
    while ((head = queue.peek()) != null && store(head)) {
      queue.remove();
      queuedBytes -= head.length;
      any = true;
    }
    if (any && !queue.isEmpty()) {
      requestRoom();
    }
    return any;
  }

  private void requestRoom() {
    SessionLayout.put(peer.memory(), SessionLayout.ROOM_REQUEST, ++requests);
    peer.flush();
  }

  private byte[] wrap(byte kind, ByteBuffer body) {
    int length = body.remaining();
    ByteBuffer b = ByteBuffer.allocate(SessionLayout.padded(length));
    b.putInt(length).put(kind).put(new byte[3]).put(body.duplicate());
    b.put(outMac.proof(sent++, b.duplicate().flip()));
    return b.array();
  }

  private boolean store(byte[] message) {
    long room = SessionLayout.RING_BYTES - (position - SessionLayout.get(own, SessionLayout.TAKEN));
    if (room < message.length) {
      return false;
    }
    int offset = (int) (position % SessionLayout.RING_BYTES);
    int first = Math.min(message.length, SessionLayout.RING_BYTES - offset);
    copyIn(message, 0, offset, first);
    copyIn(message, first, 0, message.length - first);
    position += message.length;
    peer.flush();
    SessionLayout.put(peer.memory(), SessionLayout.POSITION, position);
    peer.flush();
    return true;
  }

  private void copyIn(byte[] message, int from, int offset, int length) {
    MemorySegment.copy(
        message,
        from,
        peer.memory(),
        ValueLayout.JAVA_BYTE,
        SessionLayout.RING + (long) offset,
        length);
  }

  /**
   * Delivers what has arrived. Reactor only.
   *
   * @return whether the peer should be woken, because it waits for room
   * @throws IOException the peer writes nonsense, or the receiver threw
   */
  boolean receive(Receiver receiver) throws IOException {
    long before = taken;
    boolean more = true;
    while (more) {
      long available = SessionLayout.get(own, SessionLayout.POSITION) - taken;
      if (available == 0) {
        break;
      }
      if (available < 0 || available > SessionLayout.RING_BYTES || available % 8 != 0) {
        throw new IOException("The peer's position is " + available + " bytes ahead");
      }
      more = deliver(receiver, available);
    }
    if (taken == before) {
      return false;
    }
    sendLock.lock();
    try {
      if (closed) {
        return false;
      }
      SessionLayout.put(peer.memory(), SessionLayout.TAKEN, taken);
      peer.flush();
    } finally {
      sendLock.unlock();
    }
    long wanted = SessionLayout.get(own, SessionLayout.ROOM_REQUEST);
    boolean wake = wanted != answeredRequests;
    answeredRequests = wanted;
    return wake;
  }

  private boolean deliver(Receiver receiver, long available) throws IOException {
    ByteBuffer head = ByteBuffer.wrap(copyOut(SessionLayout.HEAD_BYTES));
    int length = head.getInt();
    int padded = SessionLayout.padded(Math.clamp(length, 0, MAX_BODY));
    if (length < 0 || length > MAX_BODY || padded > available) {
      throw new IOException("A message of " + length + " bytes was announced");
    }
    byte[] message = copyOut(padded); // a copy: the peer could change it while we look
    ByteBuffer whole = ByteBuffer.wrap(message, 0, SessionLayout.HEAD_BYTES + length);
    byte[] proof = new byte[MessageMac.BYTES];
    System.arraycopy(message, SessionLayout.HEAD_BYTES + length, proof, 0, MessageMac.BYTES);
    if (ByteBuffer.wrap(message).getInt() != length || !inMac.isProof(proof, received, whole)) {
      throw new IOException("A message does not prove that it is the peer's");
    }
    received++;
    taken += padded;
    byte kind = message[Integer.BYTES];
    return receiver.message(
        kind, ByteBuffer.wrap(message, SessionLayout.HEAD_BYTES, length).slice());
  }

  private byte[] copyOut(int length) {
    byte[] out = new byte[length];
    int offset = (int) (taken % SessionLayout.RING_BYTES);
    int first = Math.min(length, SessionLayout.RING_BYTES - offset);
    MemorySegment.copy(
        own, ValueLayout.JAVA_BYTE, SessionLayout.RING + (long) offset, out, 0, first);
    MemorySegment.copy(own, ValueLayout.JAVA_BYTE, SessionLayout.RING, out, first, length - first);
    return out;
  }

  /** Nothing is stored any more. */
  void close() {
    sendLock.lock();
    try {
      closed = true;
      queue.clear();
    } finally {
      sendLock.unlock();
    }
  }
}
