package org.slipstream.rdma;

import java.util.Arrays;
import org.slipstream.transport.ControlLayout;

/**
 * Which words of a control block may be written now, on a fabric that may place two writes in
 * another order than they were posted in. What has completed is placed before whatever is posted
 * afterwards, so each word has a gate: the request that has to complete first.
 *
 * <ul>
 *   <li>Every word waits for its own last write: the older one must not be placed over it.
 *   <li>A position waits for its bytes too, if the order is {@link RdmaOrder#COMPLETED}; the one
 *       that is written is of the time when it began to wait, or it would wait for bytes that came
 *       later. With a checksum it need not. Self-validating, in one write with its message, it
 *       waits for nothing: the peer has taken everything before it.
 *   <li>Words behind the first {@link ControlLayout#PLAIN_BYTES} (the final position, flags) wait
 *       for everything before them. Among the first ones the order does not matter.
 * </ul>
 *
 * <p>Guarded by the queue's lock.
 */
final class WordGates {
  /** A word that nothing was asked of yet. */
  private static final long NOT_KNOWN = -1;

  private final SendQueue queue;
  private final RdmaOrder order;
  private final long[] written;
  private final long[] gate;
  private final long[] serial;

  /** The last request of the link. */
  private long last;

  private long serials;
  private long newestPosition;

  WordGates(SendQueue queue, RdmaOrder order, int words) {
    this.queue = queue;
    this.order = order;
    this.written = new long[words];
    this.gate = new long[words];
    this.serial = new long[words];
    Arrays.fill(gate, NOT_KNOWN);
  }

  /** A word is published. Returns whether the value has to wait for another one of its word. */
  boolean holdsBack(int word, long value) {
    serial[word] = ++serials;
    if (word != 0) {
      return false;
    }
    newestPosition = value;
    return order == RdmaOrder.COMPLETED && gate[0] != NOT_KNOWN;
  }

  /** The position that was published last. */
  long newestPosition() {
    return newestPosition;
  }

  /** Everything up to here counts as published before. */
  long now() {
    return serials;
  }

  /** Whether the word was published, or published again, after that time. */
  boolean isAfter(int word, long time) {
    return serial[word] > time;
  }

  /** Whether a word goes in one piece with the plain words before it. */
  boolean isOnePiece(int word, long value) {
    return word == 0 && (order == RdmaOrder.CHECKSUMMED || value < 0);
  }

  /** Whether what is posted before a word has to be placed before it. */
  boolean waitsForAll(int word, long value) {
    return word * Long.BYTES >= ControlLayout.PLAIN_BYTES
        || (word == 0 && !isOnePiece(word, value));
  }

  boolean isKnown(int word) {
    return gate[word] != NOT_KNOWN;
  }

  /** From now on the word waits for something: for a request, 0 if for none. */
  void begin(int word, long request) {
    gate[word] = request;
  }

  /** What a word waits for by itself. */
  long ownGate(int word, long value) {
    return word == 0 && value < 0 && order == RdmaOrder.COMPLETED ? 0 : written[word];
  }

  boolean isOpen(int word) {
    return queue.isDone(gate[word]);
  }

  /** Bytes of the link were posted. */
  void posted() {
    last = queue.lastPosted();
  }

  /** Words were posted, in one write. */
  void posted(int from, int to) {
    last = queue.lastPosted();
    for (int i = from; i <= to; i++) {
      written[i] = last;
    }
  }

  /** The word does not wait any more. */
  void end(int word) {
    gate[word] = NOT_KNOWN;
  }

  /** The last request of the link; 0 if there is none. */
  long last() {
    return last;
  }
}
