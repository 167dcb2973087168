package org.slipstream.rdma;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.slipstream.transport.ControlLayout.PLAIN_BYTES;
import static org.slipstream.transport.ControlLayout.UNORDERED_BYTES;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ControlLayout;

/**
 * The staging copy of the peer's control block, on its way there. Plain stores of the caller are
 * found by comparing with what was posted last. If the queue is full, words stay here and are
 * posted later: plain words first, then published words in their order. A word that is published
 * twice meanwhile travels once, in its first place with its last value; that is sound because bytes
 * go first.
 *
 * <p>Usually there is room, and then plain words travel in one write with the self-validating word
 * that is published behind them. A small message is one packet.
 *
 * <p>On a fabric that does not keep the order of writes, words wait for their {@linkplain WordGates
 * gates} too. Guarded by the queue's lock.
 */
final class ControlWords {
  private static final ValueLayout.OfLong LONG = JAVA_LONG.withOrder(LITTLE_ENDIAN);
  static final int WORD = Long.BYTES;
  static final int WORDS = ControlLayout.BYTES / WORD;
  private static final int PLAIN_WORDS = PLAIN_BYTES / WORD;
  private static final int UNORDERED_WORDS = UNORDERED_BYTES / WORD;
  private static final int ARMED_WORD = ControlLayout.ARMED / WORD;

  private final SendQueue queue;
  private final MemorySegment control;
  private final WindowDescriptor peer;

  /** What waits for the placement of what; null if the fabric keeps the order. */
  private final @Nullable WordGates gates;

  private final MemorySegment postedControl = MemorySegment.ofArray(new long[WORDS]);
  private final int[] published = new int[WORDS];
  private int publishedCount;

  ControlWords(
      SendQueue queue, MemorySegment control, WindowDescriptor peer, @Nullable WordGates gates) {
    this.queue = queue;
    this.control = control;
    this.peer = peer;
    this.gates = gates;
  }

  /** Whether every published word has been given to the device. */
  boolean arePosted() {
    return publishedCount == 0;
  }

  /** Whether every word that was published up to {@link WordGates#now} has been. */
  boolean arePosted(WordGates g, long time) {
    for (int i = 0; i < publishedCount; i++) {
      if (!g.isAfter(published[i] / WORD, time)) {
        return false;
      }
    }
    return true;
  }

  /** Stores a word and publishes it. */
  void publish(int offset, long value) {
    if (gates == null || !gates.holdsBack(offset / WORD, value)) {
      control.set(LONG, offset, value);
    }
    publish(offset);
  }

  /** A word, or half of it, was stored. */
  void publishStored(int offset) {
    if (gates != null) {
      gates.holdsBack(offset / WORD, 0);
    }
    publish(offset & -WORD);
  }

  private void publish(int offset) {
    if (!isPublished(offset)) {
      published[publishedCount++] = offset;
    }
  }

  /**
   * Posts what may be, when all bytes before it are posted.
   *
   * @return false if there was no room
   */
  boolean flush() {
    return gates == null
        ? flushTogether() || (flushPlainWords() && flushPublishedWords())
        : flushPlaced(gates);
  }

  /**
   * Each published word whose gate is open. What is left waits for completions.
   *
   * @return false if there was no room
   */
  private boolean flushPlaced(WordGates g) {
    for (int i = 0; i < publishedCount; ) {
      int word = published[i] / WORD;
      if (!g.isKnown(word) && !beginToWait(g, i, word)) {
        return false;
      }
      if (!g.isKnown(word) || !g.isOpen(word)) {
        i++;
      } else if (!postPlaced(g, word)) {
        return false;
      } else {
        publishedCount--;
        System.arraycopy(published, i + 1, published, i, publishedCount - i);
        g.end(word);
        if (word == 0 && g.newestPosition() != control.get(LONG, 0)) {
          queue.submit(); // the request may carry what is there by then
          control.set(LONG, 0, g.newestPosition()); // came while the last one waited
          published[publishedCount++] = 0;
        }
      }
    }
    return true;
  }

  /** Returns false if there was no room. */
  private boolean beginToWait(WordGates g, int index, int word) {
    long value = control.getAtIndex(LONG, word);
    if (!g.waitsForAll(word, value)) {
      g.begin(word, g.ownGate(word, value));
    } else if (word == 0 || index == 0) {
      if (!flushPlainWords()) {
        return false;
      }
      g.begin(word, g.last());
    }
    return true;
  }

  private boolean postPlaced(WordGates g, int word) {
    int first = word;
    int last = word;
    if (word == 0) {
      int end = g.isOnePiece(0, control.get(LONG, 0)) ? PLAIN_WORDS : UNORDERED_WORDS;
      for (int i = 1; i < end; i++) {
        last = isChanged(i) ? i : last;
      }
    }
    return post(first, last);
  }

  /**
   * One word is published, and what the caller stored before it goes with it. Not with a word that
   * is not self-validating, unless the order does not matter: it may have taken the place of one
   * that was, and had to wait for room. An arming that is taken back may be seen at any time.
   */
  private boolean flushTogether() {
    if (publishedCount != 1 || published[0] >= PLAIN_BYTES) {
      return false;
    }
    int first = published[0] / WORD;
    int last = first;
    int lastOrdered = first;
    for (int i = 0; i < PLAIN_WORDS; i++) {
      if (isChanged(i)) {
        first = Math.min(first, i);
        last = Math.max(last, i);
        lastOrdered = i == ARMED_WORD ? lastOrdered : Math.max(lastOrdered, i);
      }
    }
    boolean selfValidating = control.getAtIndex(LONG, published[0] / WORD) < 0;
    if (!selfValidating && lastOrdered >= UNORDERED_WORDS && lastOrdered != published[0] / WORD) {
      return false;
    }
    if (!post(first, last)) {
      return false;
    }
    publishedCount = 0;
    return true;
  }

  /** What the caller stored without publishing it: few pieces, and no word out of its order. */
  private boolean flushPlainWords() {
    int first = -1;
    int last = -1;
    for (int i = 0; i < PLAIN_WORDS; i++) {
      if (isPublished(i * WORD)) {
        if (first >= 0 && !post(first, last)) {
          return false;
        }
        first = -1;
      } else if (isChanged(i)) {
        first = first < 0 ? i : first;
        last = i;
      }
    }
    return first < 0 || post(first, last);
  }

  private boolean flushPublishedWords() {
    for (int done = 0; done < publishedCount; done++) {
      int word = published[done] / WORD;
      if (!post(word, word)) {
        System.arraycopy(published, done, published, 0, publishedCount - done);
        publishedCount -= done;
        return false;
      }
    }
    publishedCount = 0;
    return true;
  }

  private boolean isPublished(int offset) {
    for (int i = 0; i < publishedCount; i++) {
      if (published[i] == offset) {
        return true;
      }
    }
    return false;
  }

  private boolean isChanged(int word) {
    return control.getAtIndex(LONG, word) != postedControl.getAtIndex(LONG, word);
  }

  private boolean post(int first, int last) {
    if (queue.room() == 0) {
      return queue.isEnded();
    }
    // Noted before it is posted: a store in between travels twice, and is never lost.
    for (int i = first; i <= last; i++) {
      postedControl.setAtIndex(LONG, i, control.getAtIndex(LONG, i));
    }
    long offset = (long) first * WORD;
    queue.writeNow(control, offset, (last - first + 1) * WORD, peer.control() + offset, peer.key());
    if (gates != null) {
      gates.posted(first, last);
    }
    return true;
  }
}
