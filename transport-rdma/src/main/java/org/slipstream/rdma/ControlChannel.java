package org.slipstream.rdma;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slipstream.rdma.verbs.MemoryRegion;

/**
 * Frames as messages on the queue pair of a session. Each message takes one of the receives that
 * the peer has posted; a sender without credit keeps its frames. The last receives are for messages
 * that only give credit, so that two senders that are out of credit do not wait for each other.
 *
 * <p>Everything with the lock of the send queue held.
 */
final class ControlChannel implements SendQueue.Source {

  /** Receives that each end keeps posted. */
  static final int RECEIVES = 48;

  /** Only for messages without a frame. */
  private static final int RESERVE = 4;

  /** So many are given back at once when there is nothing else to say. */
  private static final int RETURN_STEP = RECEIVES / 4;

  private static final Message NOTHING = new Message(ByteBuffer.allocate(0), false);

  /** A frame of the core, or a notice of this transport. */
  private record Message(ByteBuffer bytes, boolean notice) {}

  private final SendQueue queue;
  private final SendQueue.Turn turn = new SendQueue.Turn();
  private final MemorySegment slots;
  private final int localKey;
  private final Deque<Message> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private long sent;
  private int credit = RECEIVES;
  private int toReturn;

  /**
   * Makes one.
   *
   * @param queue of the session
   * @param slots {@link #RECEIVES} slots for messages
   * @param region in which they lie
   */
  ControlChannel(SendQueue queue, MemorySegment slots, MemoryRegion region) {
    this.queue = queue;
    this.slots = slots;
    this.localKey = region.localKey();
  }

  /** Sends a frame, or keeps it. */
  void send(ByteBuffer frame) {
    send(frame, false);
  }

  /** Sends a frame or a notice, or keeps it. */
  void send(ByteBuffer frame, boolean notice) {
    waiting.add(new Message(frame, notice));
    waitingBytes += frame.remaining();
    flushOrDefer();
  }

  /**
   * Sends a message that says nothing, so that the device finds out whether the peer is there.
   * Without credit or room something is under way that finds it out too.
   */
  void ping() {
    if (credit > RESERVE && queue.room() > 0) {
      post(NOTHING);
    }
  }

  /** Bytes that wait because the peer does not take them. */
  long waitingBytes() {
    return waitingBytes;
  }

  /** A message came: its receive is posted again. */
  void received(int returned) {
    toReturn++;
    credit = Math.min(RECEIVES, credit + returned);
    flushOrDefer();
  }

  private void flushOrDefer() {
    queue.serve(this);
  }

  @Override
  public SendQueue.Turn turn() {
    return turn;
  }

  /** Returns true without credit too: then a message of the peer goes on with it. */
  @Override
  public boolean post() {
    Message message;
    while ((message = waiting.peek()) != null && credit > RESERVE) {
      if (!post(message)) {
        return false;
      }
      waiting.remove();
      waitingBytes -= message.bytes.remaining();
    }
    return toReturn < RETURN_STEP || credit == 0 || post(NOTHING);
  }

  private boolean post(Message frame) {
    if (queue.room() == 0) {
      return queue.isEnded();
    }
    // The message that was here has been received: its credit came back.
    long slot = sent++ % RECEIVES * MessageLayout.SLOT_BYTES;
    MemorySegment message = slots.asSlice(slot, MessageLayout.SLOT_BYTES);
    int length = MessageLayout.write(message, toReturn, frame.bytes, frame.notice);
    toReturn = 0;
    credit--;
    queue.send(message.asSlice(0, length), localKey);
    return true;
  }
}
