package org.slipstream.core.ring;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.OutOfLine;

/**
 * The sending half of a byte ring: copies bytes into the peer's window and publishes them.
 *
 * <p>Guarded by the stream's write lock. Never blocks or logs, and allocates nothing but for the
 * first file and the first write without a copy. "No space" is a return value.
 *
 * <p>Order of a publish: bytes, then the position (release), then a full fence, then the look at
 * the peer's armed word. The reader does the mirror image (armed word, fence, look at the
 * position), so one of the two sees the other ({@code docs/models/arm.pml}).
 */
public final class RingProducer {

  /** A large write becomes visible piece by piece, so that the reader copies while we copy. */
  static final int SPAN_BYTES = 16 * 1024;

  /** A piece for an engine is pushed in so many parts at most. */
  private static final int ENGINE_PARTS = 4;

  /** Unusable once released, as are the views behind it. Written under both locks of the stream. */
  private Link link;

  private ByteBuffer peerWords;
  private ByteBuffer ring;
  private final ByteBuffer words;
  private final RingConsumer reader;
  private final SendCredit credit;
  private final SendEpochs epochs;
  private final SendIntegrity integrity;
  private final int bulk;
  private final int largestPiece;
  private final int largestZeroCopy;

  /** Made for the first write that needs no copy; most streams see none. */
  private @Nullable ZeroCopyPieces zeroCopy;

  /** Made for the first file. */
  private @Nullable FileFill files;

  private final PipeDoorbell pipe;

  private long piggybacked;
  private int signalledFor;

  /**
   * Makes the sending half of a link.
   *
   * @param link the windows
   * @param reader the receiving half of the same link; its progress is piggybacked to the peer
   */
  public RingProducer(Link link, RingConsumer reader) {
    this(link, reader, PipeDoorbell.NONE);
  }

  /**
   * Makes the sending half of a link.
   *
   * @param link the windows
   * @param reader the receiving half of the same link; its progress is piggybacked to the peer
   * @param pipe rung first; where it can not be, the doorbell of the write is
   */
  public RingProducer(Link link, RingConsumer reader, PipeDoorbell pipe) {
    this.pipe = pipe;
    this.link = link;
    this.reader = reader;
    this.words = reader.words();
    this.peerWords = ControlLayout.words(link.sendControl());
    this.ring = link.sendRing().asByteBuffer();
    this.credit = new SendCredit(link, words);
    this.epochs = new SendEpochs(link, words, credit);
    this.integrity = SendIntegrity.of(link, peerWords, ring);
    this.bulk = link.bulkBytes();
    int size = ring.capacity();
    this.largestPiece = Math.max(bulk, size / 4); // credit comes in quarters
    this.largestZeroCopy =
        Math.clamp(size / 4, ZeroCopyPieces.LEAST_BYTES, ZeroCopyPieces.MOST_BYTES);
  }

  /**
   * The window of the peer may be another stream's from now on: what could reach it is dropped, so
   * that a late caller fails with an exception, and stores nothing. Under both locks of the stream.
   */
  public void release() {
    link = ReleasedLink.INSTANCE;
    peerWords = ReleasedLink.NOTHING;
    ring = ReleasedLink.NOTHING;
    files = null; // the next is made of a ring in which nothing can be stored
    credit.release();
    epochs.release();
  }

  /**
   * How far this end has published, and how far it may.
   *
   * @return guarded as this is
   */
  public SendCredit credit() {
    return credit;
  }

  /**
   * This direction's epochs in the ring.
   *
   * @return guarded as this is
   */
  public SendEpochs epochs() {
    return epochs;
  }

  /**
   * Writes as much as there is space for.
   *
   * @param src its position advances by the result
   * @param doorbell signalled if the peer's reader is armed
   * @return bytes written; 0 if there is no space (or nothing to write)
   * @throws IOException the peer broke the protocol, or the doorbell could not be signalled
   */
  @OutOfLine
  public int write(ByteBuffer src, Doorbell doorbell) throws IOException {
    int length = src.remaining();
    if (length <= ControlLayout.MAILBOX_BYTES && reader.wasRead() && tryMailbox(src, length)) {
      lookForSleeper(doorbell);
      return length;
    }
    int done = 0;
    boolean large = isZeroCopy(src);
    while (done < length) {
      int n = Math.min(length - done, credit.space(length - done));
      if (n == 0) {
        break;
      }
      int zeroCopied = large ? pushZeroCopy(src, n) : 0;
      large = zeroCopied > 0; // a second look in the same call would pass for a second use
      if (zeroCopied > 0) {
        n = zeroCopied;
      } else {
        n = piece(n);
        copy(src, n);
      }
      publish();
      lookForSleeper(doorbell);
      done += n;
    }
    return done;
  }

  /**
   * Reads one piece of a file straight into the ring, by one read of the kernel; or by way of
   * aligned pages, if the file demands that and the place in the ring is not aligned.
   *
   * @param file where the bytes come from
   * @param at the first of them, in the file
   * @param count how many at most; positive
   * @param doorbell signalled if the peer's reader is armed
   * @return bytes written; 0 if there is no space; or {@link FileFill#END}, {@link
   *     FileFill#UNREADABLE}
   * @throws IOException as {@link #write(ByteBuffer, Doorbell)}; or the file was closed
   */
  public int fill(FileChannel file, long at, long count, Doorbell doorbell) throws IOException {
    FileFill fill = files;
    if (fill == null) {
      fill = new FileFill(ring, credit.size(), bulk);
      files = fill;
    }
    int wanted = fill.wanted(count);
    int room = Math.min(credit.space(wanted), wanted); // before the offset: it may change that
    int offset = offset();
    int n = fill.read(file, at, offset, run(room));
    if (n > 0) {
      push(offset, n);
      credit.advance(n);
    } else if (n == FileFill.UNREADABLE) {
      n = copyPages(fill, file, at, room);
    }
    if (n > 0) {
      publish();
      lookForSleeper(doorbell);
    }
    return n;
  }

  private int copyPages(FileFill fill, FileChannel file, long at, int room) throws IOException {
    ByteBuffer pages = fill.readPages(file, at, room);
    if (pages == null) {
      return FileFill.UNREADABLE;
    }
    int n = pages.remaining();
    if (n == 0) {
      return FileFill.END;
    }
    copy(pages, n);
    return n;
  }

  /** How much becomes visible next of what there is space for. */
  private int piece(int n) {
    return n < bulk ? Math.min(n, SPAN_BYTES) : Math.min(n, largestPiece);
  }

  /**
   * Gathers: publishes once for many small buffers, and large ones as {@link #write(ByteBuffer,
   * Doorbell)} does.
   *
   * @param srcs the buffers; their positions advance by what was taken of each
   * @param from index of the first
   * @param to index behind the last
   * @param doorbell signalled if the peer's reader is armed
   * @return bytes written; 0 if there is no space (or nothing to write)
   * @throws IOException the peer broke the protocol, or the doorbell could not be signalled
   */
  public long write(ByteBuffer[] srcs, int from, int to, Doorbell doorbell) throws IOException {
    if (to - from == 1) {
      return write(srcs[from], doorbell);
    }
    long done = 0;
    int unpublished = 0;
    try {
      for (int i = from; i < to; i++) {
        ByteBuffer src = srcs[i];
        boolean large = isZeroCopy(src);
        while (src.hasRemaining()) {
          int room = Math.min(src.remaining(), credit.space(src.remaining()));
          if (room == 0) {
            return flush(unpublished, done, doorbell);
          }
          int zeroCopied = large ? pushZeroCopy(src, room) : 0;
          large = zeroCopied > 0;
          if (zeroCopied > 0) {
            done += zeroCopied;
            unpublished = 0;
            flush(zeroCopied, 0, doorbell);
            continue;
          }
          int n = Math.min(room, SPAN_BYTES - unpublished);
          copy(src, n);
          done += n;
          unpublished += n;
          if (unpublished == SPAN_BYTES) {
            unpublished = 0;
            flush(SPAN_BYTES, 0, doorbell);
          }
        }
      }
    } catch (RuntimeException e) {
      credit.advance(
          -unpublished); // a buffer whose memory is gone: no peer saw the bytes before it
      integrity.forget();
      throw e;
    }
    return flush(unpublished, done, doorbell);
  }

  private long flush(int unpublished, long result, Doorbell doorbell) throws IOException {
    if (unpublished > 0) {
      publish();
      lookForSleeper(doorbell);
    }
    return result;
  }

  /**
   * The message and its position in one or two cache lines, if the reader has everything before it.
   */
  @OutOfLine
  private boolean tryMailbox(ByteBuffer src, int length) throws ProtocolViolationException {
    if (!credit.isKnownDrained() && !credit.isDrained()) {
      return false;
    }
    long position = credit.position();
    // The mailbox needs no space in the ring, but the bytes after it will.
    if (length == 0 || credit.space(length) < length || position >= Long.MAX_VALUE >>> 8) {
      return false;
    }
    int at = src.position();
    peerWords.put(ControlLayout.MAILBOX, src, at, length);
    integrity.addMailbox(length);
    src.position(at + length);
    ControlLayout.putLongPlain(
        peerWords, ControlLayout.INLINE, ControlLayout.inline(position, length));
    credit.advance(length);
    publish(integrity.mailboxWord(peerWords, position + length));
    reader.forgetRead();
    return true;
  }

  private boolean isZeroCopy(ByteBuffer src) {
    return src.remaining() >= ZeroCopyPieces.LEAST_BYTES && src.isDirect() && !integrity.readsAll();
  }

  /** Bytes travel from the program's own buffer; 0 if they can not. */
  @OutOfLine
  private int pushZeroCopy(ByteBuffer src, int room) throws ProtocolViolationException {
    int offset = offset();
    int n = run(Math.min(room, largestZeroCopy));
    int at = src.position();
    if (!link.pushFrom(src, at, offset, n)) {
      return 0;
    }
    ZeroCopyPieces pieces = zeroCopy;
    if (pieces == null) {
      pieces = new ZeroCopyPieces();
      zeroCopy = pieces;
    }
    if (!pieces.add(src, at, credit.position(), n)) {
      giveBack(); // the link waits for this piece too
      pieces.add(src, at, credit.position(), n);
    }
    credit.advance(n);
    src.position(at + n);
    return n;
  }

  /**
   * To be called before the program gets its buffer back: keeps a copy of what the peer has given
   * no credit for, and waits until the medium needs the buffer no more. Nothing to do if no byte
   * was sent without a copy.
   *
   * @throws ProtocolViolationException the peer gave credit for bytes that it never got
   */
  public void giveBack() throws ProtocolViolationException {
    ZeroCopyPieces pieces = zeroCopy;
    if (pieces == null || !pieces.stands()) {
      return;
    }
    try {
      credit.refresh();
      pieces.keep(ring, credit.places(), credit.acknowledged());
    } finally {
      pieces.end();
      link.awaitTaken();
    }
  }

  @OutOfLine
  private void copy(ByteBuffer src, int n) {
    int at = src.position();
    int part = part(n);
    RingPlaces places = credit.places();
    for (int done = 0; done < n; ) {
      int left = n - done;
      long position = credit.position() + done;
      int offset = places.offset(position);
      int length = Math.min(left < 2 * part ? left : part, places.run(position));
      ring.put(offset, src, at + done, length);
      push(offset, length);
      done += length;
    }
    src.position(at + n);
    credit.advance(n);
  }

  /** What a medium with an engine may carry while the next part is copied. */
  private int part(int n) {
    return n / 2 < bulk ? n : Math.max(bulk, n / ENGINE_PARTS);
  }

  /** Where the next byte goes. */
  private int offset() {
    return credit.places().offset(credit.position());
  }

  /** How many of the next bytes go there side by side. */
  private int run(int most) {
    return Math.min(most, credit.places().run(credit.position()));
  }

  private void push(int offset, int length) {
    integrity.addRing(offset, length);
    link.push(offset, length);
  }

  private void publish() {
    publish(integrity.word(credit.position()));
  }

  private void publish(long word) {
    long taken = reader.consumedAcquire();
    if (taken != piggybacked) {
      ControlLayout.putLongPlain(peerWords, ControlLayout.PIGGYBACK, taken);
      piggybacked = taken;
    }
    link.publish(ControlLayout.POSITION, word);
  }

  private void lookForSleeper(Doorbell doorbell) throws IOException {
    link.fence();
    int armed = ControlLayout.getIntAcquire(words, ControlLayout.ARMED);
    if (armed != signalledFor && armed != 0) {
      ring(doorbell, armed);
    }
  }

  @OutOfLine
  private void ring(Doorbell doorbell, int armed) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        signalledFor = pipe.ring(words, armed) || doorbell.signal() ? armed : 0;
        return;
      } catch (OutOfMemoryError e) { // the bytes are published, and their reader sleeps
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  /**
   * A copy of what the peer has given no credit for: for a failed link, which may have lost some of
   * it.
   *
   * @return the bytes
   * @throws ProtocolViolationException the peer gave credit for bytes that it never got
   */
  public ByteBuffer unacknowledged() throws ProtocolViolationException {
    giveBack();
    credit.refresh();
    long inline = ControlLayout.getLongPlain(peerWords, ControlLayout.INLINE);
    return Unacknowledged.copy(
        ring, credit.places(), peerWords, inline, credit.acknowledged(), credit.position());
  }

  /**
   * Tells the peer how much of its bytes this end has taken out, to the byte: the last word on it,
   * before this end closes. Credit comes in steps, and what it has not come for would count as
   * unread.
   */
  public void publishTaken() {
    piggybacked = reader.consumedAcquire();
    link.publish(ControlLayout.PIGGYBACK, piggybacked);
  }

  /** Says that the current position is the last one. */
  public void publishFin() {
    link.publish(ControlLayout.FIN_AT, credit.position() + 1);
  }

  /**
   * Tells the peer something about this end.
   *
   * @param flags {@code FLAG_} constants of {@link ControlLayout}
   */
  public void publishFlags(int flags) {
    link.publishInt(ControlLayout.FLAGS, flags);
  }
}
