package org.slipstream.transport;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * The control block of a receive window: the only truth about its offsets.
 *
 * <p>The block lies in the reader's memory and every word in it is written by the peer, and only by
 * the peer, except the futex. "W" is the peer's writer (the thread that holds its write lock), "R"
 * the peer's reader (the thread that holds its read lock): one writer per word, so no word is ever
 * lost between two of the peer's threads.
 *
 * <pre>
 *    0        8        16       24       32    36    40                       64
 *   +--------+--------+--------+--------+-----+-----+------------------------+
 *   |position|piggyb. | inline | credit |armed| req |  mailbox, first 24 B   |  line 0
 *   |   W    |   W    |   W    |   R    |  R  |  W  |           W            |
 *   +--------+--------+--------+--------+-----+-----+------------------------+
 *   |                        mailbox, last 64 B     W                        |  line 1
 *   +--------+--------+--------+-----+------------------------------------- -+
 *   |switchAt| fin at | commit |flags|back |  pipe  | inode  |token|futex|able|  line 2
 *   |   W    |   W    |   R    |  W  |  R  |   R    |   R    |  R  | all |  W |
 *   +--------+--------+--------+-----+-----+--------+--------+-----+-----+----+
 *   | extent |                        unused                                  |  line 3
 *   |   W    |                                                                |
 *   +-------------------------------------------------------------------------+
 *   128      136      144      152   156   160      168      176   180   184  256
 *   192      200
 * </pre>
 *
 * <ul>
 *   <li><b>position</b>: bytes ever published to the reader; released after the bytes. On a link
 *       that {@linkplain Link#needsChecksum needs a checksum}: CRC32C of all of them, and the low
 *       32 bits of their number. Behind a message of the mailbox, on a link that {@linkplain
 *       Link#needsSelfValidation needs self-validation}: self-validating, with a checksum of that
 *       message.
 *   <li><b>piggyback</b>, <b>credit</b>: bytes that the peer has taken out of <i>our sends</i>. Two
 *       words because two of its threads say so; the greater one counts. {@code piggyback} rides on
 *       a publish.
 *   <li><b>inline</b>: {@code start << 7 | length} of the last piece that travelled in the mailbox
 *       and not in the ring. Valid for a reader whose position lies inside the piece.
 *   <li><b>pipe</b>, <b>inode</b>, <b>token</b>: which pipe the peer's reader wants its doorbells
 *       in: {@code process << 32 | descriptor}, the inode of the pipe, and the name of the stream
 *       in there; pipe = 0: the TCP connection; pipe = 1: the futex of the peer's own window. Said
 *       before the arming.
 *   <li><b>futex</b>: counts what has ended, or may end, a sleep of our reader that has named it;
 *       incremented by the peer's writer and by threads of our own. It says nothing by itself.
 *   <li><b>able</b>: 1 if the peer's writer can wake a reader on its futex. Said once, with the
 *       link.
 *   <li><b>armed</b>: an arming number; 0 = awake. The peer's reader may be about to sleep and
 *       wants one doorbell per number.
 *   <li><b>request</b>: number of the last time the peer's writer ran out of credit; wants one
 *       notice each.
 *   <li><b>switchAt</b>: 0, or {@code raw << 9 | 1 << 8 | epoch}: in its epoch-th switch the peer
 *       leaves TCP after that many raw bytes. Epochs count from 1 and keep their low 8 bits.
 *   <li><b>back</b>: the last epoch whose BACK the peer's reader has read. The writer begins no new
 *       epoch before that, so one word is enough for all epochs.
 *   <li><b>fin at</b>: 0, or 1 + the final position.
 *   <li><b>committed</b>: how much of the <i>peer's</i> ring we may use, from its beginning. The
 *       first value is also how much we do use.
 *   <li><b>extent</b>: {@code from << 5 | log2}: from that position on the peer uses {@code 1 <<
 *       log2} bytes of our ring. 0 as long as it uses what was committed first. Said before the
 *       position goes beyond {@code from}, and not again before we have taken out everything up to
 *       there.
 *   <li><b>flags</b>: see the {@code FLAG_} constants.
 * </ul>
 *
 * <p>Lines 0 and 1 are all that a message of the mailbox needs, and hold every word that rides on
 * the publish of another ({@link #PLAIN_BYTES}).
 *
 * <p>All words are little-endian and naturally aligned.
 */
public final class ControlLayout {

  /** Bytes of one control block. */
  public static final int BYTES = 256;

  /**
   * Plain stores go into that many first bytes of a {@linkplain Link#sendControl control block} and
   * nowhere else in it; words behind them are published one by one, and come after everything
   * before. Of the words in these bytes the {@link #POSITION} alone needs the order with the bytes
   * of the ring; the others are absolute and need no order with each other.
   */
  public static final int PLAIN_BYTES = 128;

  /** Plain stores into so many first bytes need no order with any word that is published. */
  public static final int UNORDERED_BYTES = 16;

  /** Offset of the peer's producer position. */
  public static final int POSITION = 0;

  /** Offset of the credit that rides on a publish. */
  public static final int PIGGYBACK = 8;

  /** Offset of the mailbox descriptor. */
  public static final int INLINE = 16;

  /** Offset of the credit that the peer's reader gives. */
  public static final int CREDIT = 24;

  /** Offset of the arming number. */
  public static final int ARMED = 32;

  /** Offset of the number of the last starvation. */
  public static final int CREDIT_REQUEST = 36;

  /** Offset of the mailbox payload. */
  public static final int MAILBOX = 40;

  /** Longest message that fits into the mailbox. */
  public static final int MAILBOX_BYTES = 88;

  /** Offset behind the mailbox. */
  public static final int MAILBOX_END = MAILBOX + MAILBOX_BYTES;

  /** Offset of the switch count. */
  public static final int SWITCH_AT = 128;

  /** Offset of the final position. */
  public static final int FIN_AT = 136;

  /** Offset of the committed size. */
  public static final int COMMITTED = 144;

  /** Offset of the flags. */
  public static final int FLAGS = 152;

  /** Offset of the last epoch that the peer saw end. */
  public static final int BACK_SEEN = 156;

  /** Offset of the process and the descriptor of the pipe that takes doorbells; 0 = none. */
  public static final int DOORBELL_PIPE = 160;

  /** Offset of the inode of that pipe. */
  public static final int DOORBELL_INODE = 168;

  /** Offset of the name of the stream in that pipe. */
  public static final int DOORBELL_TOKEN = 176;

  /** Offset of the event count on which our reader may sleep. */
  public static final int DOORBELL_FUTEX = 180;

  /** Offset of whether the peer can end such a sleep: 1 or 0. */
  public static final int DOORBELL_ABLE = 184;

  /** Offset of how much of our ring the peer uses. */
  public static final int EXTENT = 192;

  /** The peer reset the stream. */
  public static final int FLAG_RESET = 1;

  /** The peer closed the stream and reads no more. */
  public static final int FLAG_CLOSED = 1 << 1;

  /** The peer wants urgent data in line. */
  public static final int FLAG_OOB_INLINE = 1 << 2;

  /** Of words in a segment; made when the first is used, because that is slow. */
  private static final class Handles {
    static final VarHandle LONG =
        ValueLayout.JAVA_LONG.withOrder(LITTLE_ENDIAN).varHandle().withInvokeExactBehavior();
    static final VarHandle INT =
        ValueLayout.JAVA_INT.withOrder(LITTLE_ENDIAN).varHandle().withInvokeExactBehavior();
  }

  /** Of a word in a buffer that is not only loaded or stored; made when the first is used. */
  private static final class Atomic {
    static final VarHandle INT =
        MethodHandles.byteBufferViewVarHandle(int[].class, LITTLE_ENDIAN).withInvokeExactBehavior();
  }

  /** Low bits of the switch word that hold the epoch. */
  private static final int EPOCH_BITS = 8;

  /** The bit that makes every switch word differ from "none". */
  private static final int ANNOUNCED = 1 << EPOCH_BITS;

  /** Low bits of the extent word that hold the logarithm. */
  private static final int EXTENT_BITS = 5;

  /** Low bits of the inline word that hold the length. */
  private static final int INLINE_LENGTH_BITS = 7;

  private ControlLayout() {}

  /**
   * Loads a word; later loads are not moved before it.
   *
   * @param block a control block
   * @param offset of an 8-byte word
   * @return its value
   */
  public static long getLongAcquire(MemorySegment block, long offset) {
    return (long) Handles.LONG.getAcquire(block, offset);
  }

  /**
   * Loads a word with no order.
   *
   * @param block a control block
   * @param offset of an 8-byte word
   * @return its value
   */
  public static long getLongPlain(MemorySegment block, long offset) {
    return (long) Handles.LONG.get(block, offset);
  }

  /**
   * Stores a word with no order.
   *
   * @param block a control block
   * @param offset of an 8-byte word
   * @param value its new value
   */
  public static void putLongPlain(MemorySegment block, long offset, long value) {
    Handles.LONG.set(block, offset, value);
  }

  /**
   * Stores a word after every earlier load and store.
   *
   * @param block a control block
   * @param offset of an 8-byte word
   * @param value its new value
   */
  public static void putLongRelease(MemorySegment block, long offset, long value) {
    Handles.LONG.setRelease(block, offset, value);
  }

  /**
   * Loads a 4-byte word; later loads are not moved before it.
   *
   * @param block a control block
   * @param offset of a 4-byte word
   * @return its value
   */
  public static int getIntAcquire(MemorySegment block, long offset) {
    return (int) Handles.INT.getAcquire(block, offset);
  }

  /**
   * Stores a 4-byte word after every earlier load and store.
   *
   * @param block a control block
   * @param offset of a 4-byte word
   * @param value its new value
   */
  public static void putIntRelease(MemorySegment block, long offset, int value) {
    Handles.INT.setRelease(block, offset, value);
  }

  /**
   * A control block as the data path loads and stores it. A young process interprets that path, and
   * then compiles it in haste: an access through a buffer is a third of the bytecode of one through
   * a handle of its segment (13 KiB of code from the first compiler, which inlines it everywhere).
   * An aligned access through a buffer is as atomic as one through a handle: {@code
   * jdk.internal.misc.Unsafe#getLongUnaligned} says so.
   *
   * @param block a control block
   * @return its words; with the block's bounds and life
   */
  public static ByteBuffer words(MemorySegment block) {
    return block.asByteBuffer().order(LITTLE_ENDIAN);
  }

  /**
   * Loads a word; later loads are not moved before it.
   *
   * @param words of a control block
   * @param offset of an 8-byte word
   * @return its value
   */
  public static long getLongAcquire(ByteBuffer words, int offset) {
    long value = words.getLong(offset);
    VarHandle.acquireFence();
    return value;
  }

  /**
   * Loads a word with no order.
   *
   * @param words of a control block
   * @param offset of an 8-byte word
   * @return its value
   */
  public static long getLongPlain(ByteBuffer words, int offset) {
    return words.getLong(offset);
  }

  /**
   * Stores a word with no order.
   *
   * @param words of a control block
   * @param offset of an 8-byte word
   * @param value its new value
   */
  public static void putLongPlain(ByteBuffer words, int offset, long value) {
    words.putLong(offset, value);
  }

  /**
   * Stores a word after every earlier load and store.
   *
   * @param words of a control block
   * @param offset of an 8-byte word
   * @param value its new value
   */
  public static void putLongRelease(ByteBuffer words, int offset, long value) {
    VarHandle.releaseFence();
    words.putLong(offset, value);
  }

  /**
   * Loads a 4-byte word; later loads are not moved before it.
   *
   * @param words of a control block
   * @param offset of a 4-byte word
   * @return its value
   */
  public static int getIntAcquire(ByteBuffer words, int offset) {
    int value = words.getInt(offset);
    VarHandle.acquireFence();
    return value;
  }

  /**
   * Stores a 4-byte word after every earlier load and store.
   *
   * @param words of a control block
   * @param offset of a 4-byte word
   * @param value its new value
   */
  public static void putIntRelease(ByteBuffer words, int offset, int value) {
    VarHandle.releaseFence();
    words.putInt(offset, value);
  }

  /**
   * Adds 1 to a 4-byte word that several threads and processes write, with a full fence.
   *
   * @param words of a control block
   * @param offset of a 4-byte word
   */
  public static void incrementInt(ByteBuffer words, int offset) {
    int ignored = (int) Atomic.INT.getAndAdd(words, offset, 1);
  }

  /**
   * Packs a switch word.
   *
   * @param rawBytes bytes that went over TCP before the switch
   * @param epoch the number of the switch, of which the low bits are kept
   * @return the word, never 0
   */
  public static long switchWord(long rawBytes, int epoch) {
    return (rawBytes << (EPOCH_BITS + 1)) | ANNOUNCED | (epoch & (ANNOUNCED - 1));
  }

  /**
   * Whether a switch word is of an epoch.
   *
   * @param word the switch word
   * @param epoch the number of a switch
   * @return true if their low bits are equal
   */
  public static boolean isEpoch(long word, int epoch) {
    return (word & (ANNOUNCED - 1)) == (epoch & (ANNOUNCED - 1));
  }

  /**
   * Unpacks the raw bytes of a switch word: hostile.
   *
   * @param word the switch word
   * @return bytes that went over TCP before the switch
   */
  public static long switchCount(long word) {
    return word >>> (EPOCH_BITS + 1);
  }

  /**
   * Packs an extent word.
   *
   * @param from the first position that it is said of
   * @param bytes how much of the ring is used; a power of two
   * @return the word, never 0
   */
  public static long extent(long from, int bytes) {
    return (from << EXTENT_BITS) | Integer.numberOfTrailingZeros(bytes);
  }

  /**
   * Unpacks the bytes of an extent word: hostile until compared with what is committed.
   *
   * @param word the extent word
   * @return a power of two
   */
  public static long extentBytes(long word) {
    return 1L << (word & (1 << EXTENT_BITS) - 1);
  }

  /**
   * Unpacks the position of an extent word: hostile, of whatever value.
   *
   * @param word the extent word
   * @return the first position that it is said of
   */
  public static long extentFrom(long word) {
    return word >>> EXTENT_BITS;
  }

  /**
   * Packs a mailbox descriptor.
   *
   * @param start position of the first byte in the mailbox
   * @param length bytes in it
   * @return the inline word
   */
  public static long inline(long start, int length) {
    return (start << INLINE_LENGTH_BITS) | length;
  }

  /**
   * Unpacks the start of a mailbox descriptor.
   *
   * @param inline the inline word
   * @return position of the first byte in the mailbox
   */
  public static long inlineStart(long inline) {
    return inline >>> INLINE_LENGTH_BITS;
  }

  /**
   * Unpacks the length of a mailbox descriptor: hostile until checked against {@link
   * #MAILBOX_BYTES}.
   *
   * @param inline the inline word
   * @return bytes in the mailbox
   */
  public static int inlineLength(long inline) {
    return (int) inline & (1 << INLINE_LENGTH_BITS) - 1;
  }
}
