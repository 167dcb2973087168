package org.slipstream.transport;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * One stream's pair of windows inside a session.
 *
 * <p>Write remote, read local: {@link #receiveControl} and {@link #receiveRing} are only read here,
 * {@link #sendControl} and {@link #sendRing} are only written. The caller copies bytes into the
 * send side, {@linkplain #push pushes} them and then {@linkplain #publish publishes} the word that
 * makes them visible. Where the words lie is said by {@link ControlLayout}. None of the methods
 * blocks or allocates.
 */
public interface Link {

  /**
   * Our window's control block, written by the peer.
   *
   * @return the words to read
   */
  MemorySegment receiveControl();

  /**
   * Our window's ring, written by the peer.
   *
   * @return the bytes to read
   */
  MemorySegment receiveRing();

  /**
   * The peer's control block, or our staging copy of it.
   *
   * @return the words to write
   */
  MemorySegment sendControl();

  /**
   * The peer's ring, or our staging copy of it.
   *
   * @return the bytes to write
   */
  MemorySegment sendRing();

  /**
   * Bytes that were copied into {@link #sendRing} travel, at the latest with the word that is
   * {@linkplain #publish published} next.
   *
   * @param offset where they lie
   * @param length how many
   */
  void push(long offset, long length);

  /**
   * As {@link #push}, from a program's own memory: the bytes travel from where they are, and the
   * caller has not copied them into {@link #sendRing}. They must stay as they are until {@link
   * #awaitTaken} has returned; if the link can lose bytes, the caller copies what is not
   * acknowledged by then.
   *
   * @param source a direct buffer; its position and limit do not matter
   * @param index of the first byte
   * @param offset where it goes in the ring, which has room up to its end
   * @param length how many
   * @return false if nothing was done, and the caller has to copy and to push
   */
  default boolean pushFrom(ByteBuffer source, int index, long offset, int length) {
    return false;
  }

  /**
   * Waits until the memory of all {@link #pushFrom} is needed no more: placed, or the link broken.
   */
  default void awaitTaken() {}

  /**
   * From how many contiguous bytes on the medium prefers to be pushed a piece whole; smaller pieces
   * are cut so that the reader copies while the writer does.
   *
   * @return bytes; larger than any ring if pieces should always be small
   */
  default int bulkBytes() {
    return Integer.MAX_VALUE;
  }

  /**
   * Stores a word into the peer's control block, visible there after everything pushed before and
   * after every plain store into {@link #sendControl} before; or with those, if the link
   * {@linkplain #needsSelfValidation needs self-validation}.
   *
   * @param offset of an 8-byte word in the control block, aligned
   * @param value the new value
   */
  void publish(long offset, long value);

  /**
   * As {@link #publish}, for a 4-byte word.
   *
   * @param offset of a 4-byte word in the control block, aligned
   * @param value the new value
   */
  void publishInt(long offset, int value);

  /**
   * As {@link #publishInt}, for a value that the peer may as well see late: where a write of its
   * own is a packet, it travels with the word that is published next.
   *
   * @param offset of a 4-byte word in the first {@link ControlLayout#PLAIN_BYTES}, aligned
   * @param value the new value
   */
  default void publishIntLater(long offset, int value) {
    publishInt(offset, value);
  }

  /**
   * Stands between "my store into the peer's window" and "my look at my own", on the side of the
   * publisher: after it returns, either the look sees what the peer stored before its {@link
   * #flush}, or the peer's look behind that sees the store. Costs nanoseconds.
   */
  void fence();

  /**
   * As {@link #fence}, on the side of the thread that goes to sleep or writes on another medium
   * next (MARK, BACK, FIN on the TCP connection): when it returns, everything published before is
   * in the peer's memory, and what the peer published before its look missed it is in ours.
   * Coherent memory: a full fence. Posted writes: a read-back, some microseconds.
   */
  default void flush() {
    fence();
  }

  /**
   * Whether what was published is in the peer's window even if the session fails right after: true
   * of memory that both processes map. Otherwise whatever the peer gave no credit for may be lost,
   * and {@link #sendRing} and {@link #sendControl} are copies that keep it until then.
   *
   * @return false if a failed session may have lost bytes
   */
  boolean isLossless();

  /**
   * Whether stores may arrive in another order than they were made in, or some of them never while
   * later ones do: then a position is believed only with a checksum of all bytes before it, and
   * {@link #publish} of one need not keep the order. The same at both ends.
   *
   * @return true if a position must have the right checksum
   */
  default boolean needsChecksum() {
    return false;
  }

  /**
   * Whether bytes before a position that was seen may never come although the link is not {@link
   * #isBroken broken}. Then a reader that has armed may sleep while a {@linkplain #needsChecksum
   * checksum} is pending: the sender's end hears of the loss. Otherwise they are on their way, and
   * come without a doorbell.
   *
   * @return false if a reader must not sleep while a check is pending
   */
  default boolean losesStores() {
    return needsChecksum();
  }

  /**
   * Whether a word in the first {@link ControlLayout#PLAIN_BYTES} that is published and the plain
   * stores before it travel as one piece, of which any part may be seen first: then the position of
   * a message among those bytes is self-validating, with a checksum of it. Order between pieces,
   * and between them and what was pushed, is kept. The same at both ends.
   *
   * <p>Self-validating words are negative, and only their low 32 bits say how far they have grown.
   * Plain stores are seen before other words, except those into the {@link
   * ControlLayout#UNORDERED_BYTES}.
   *
   * @return true if {@link #publish} makes plain stores visible with the word, and not before it
   */
  default boolean needsSelfValidation() {
    return false;
  }

  /**
   * The reader's end has looked at a position that did not have the right checksum, or the pending
   * position was right after all. Bytes that never come are noticed where they were sent; a
   * transport may give up if the sender does not notice. Only for a link that {@linkplain
   * #needsChecksum needs a checksum} or a {@linkplain #needsSelfValidation self-validation}; a
   * reader of the latter does not sleep while a check is pending. The reader's thread.
   *
   * @param nanos how long the position has been pending; 0 if it is not
   * @param asleep whether the reader waits for a doorbell now, and does not look again before it
   */
  default void reportPending(long nanos, boolean asleep) {}

  /**
   * Whether the medium has failed, so that what is published now does not arrive. Any thread. After
   * {@link #flush} has returned and this is still false, everything published before is placed.
   *
   * @return true once the link is of no more use
   */
  default boolean isBroken() {
    return false;
  }

  /**
   * Lets go of the peer's memory. Idempotent. No other method may run at the same time or after.
   */
  void release();
}
