package org.slipstream.core.ring;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;

/**
 * The sending half of a byte ring: copies bytes into the peer's window and publishes them.
 *
 * <p>Guarded by the stream's write lock. Never blocks, allocates or logs. "No space" is a return
 * value.
 *
 * <p>Order of a publish: bytes, then the position (release), then a full fence, then the look at
 * the peer's armed word. The reader does the mirror image (armed word, fence, look at the
 * position), so one of the two sees the other ({@code docs/models/arm.pml}).
 */
public final class RingProducer {

  /** A large write becomes visible piece by piece, so that the reader copies while we copy. */
  static final int SPAN_BYTES = 16 * 1024;

  /** Unusable once released, as are the views behind it. Written under both locks of the stream. */
  private Link link;

  private MemorySegment peerWords;
  private ByteBuffer ring;
  private ByteBuffer mailbox;
  private final MemorySegment words;
  private final int size;
  private final RingConsumer reader;
  private final @Nullable Proof proof;
  private final boolean seals;
  private final int bulk;
  private final int largestPiece;
  private final int largestLoan;
  private final Loan loan = new Loan();
  private final FileFill files;

  private long position;
  private long credit;
  private long granted;
  private long limit;
  private long echoed;
  private int turn;
  private long turnBegan;
  private int rungFor;
  private int starvations;

  /**
   * Makes the sending half of a link.
   *
   * @param link the windows
   * @param reader the receiving half of the same link; its progress is echoed to the peer
   */
  public RingProducer(Link link, RingConsumer reader) {
    this.link = link;
    this.reader = reader;
    this.words = link.receiveControl();
    this.peerWords = link.sendControl();
    this.ring = link.sendRing().asByteBuffer();
    this.mailbox =
        link.sendControl()
            .asSlice(ControlLayout.MAILBOX, ControlLayout.MAILBOX_BYTES)
            .asByteBuffer();
    this.size = ring.capacity();
    this.proof = link.needsProof() ? new Proof(ring, mailbox) : null;
    this.seals = link.needsSeal();
    this.bulk = link.bulkBytes();
    this.largestPiece = Math.max(bulk, size / 4); // credit comes in quarters
    this.files = new FileFill(ring, bulk);
    this.largestLoan = Math.clamp(size / 4, Loan.LEAST_BYTES, Loan.MOST_BYTES);
  }

  /**
   * The window of the peer may be another stream's from now on: what could reach it is dropped, so
   * that a late caller fails with an exception, and stores nothing. Under both locks of the stream.
   */
  public void release() {
    link = ReleasedLink.INSTANCE;
    peerWords = MemorySegment.NULL;
    ring = ReleasedLink.NOTHING;
    mailbox = ReleasedLink.NOTHING;
    files.release();
  }

  /**
   * Bytes published since the link was made.
   *
   * @return the position
   */
  public long position() {
    return position;
  }

  /**
   * Writes as much as there is space for.
   *
   * @param src its position advances by the result
   * @param bell rung if the peer's reader is armed
   * @return bytes written; 0 if there is no space (or nothing to write)
   * @throws IOException the peer broke the protocol, or the bell could not be rung
   */
  public int write(ByteBuffer src, Bell bell) throws IOException {
    int length = src.remaining();
    if (length <= ControlLayout.MAILBOX_BYTES && reader.wasRead() && tryMailbox(src, length)) {
      lookForSleeper(bell);
      return length;
    }
    int done = 0;
    boolean large = isLent(src);
    while (done < length) {
      int n = Math.min(length - done, space(length - done));
      if (n == 0) {
        break;
      }
      int lent = large ? borrow(src, n) : 0;
      large = lent > 0; // a second look in the same call would pass for a second use
      if (lent > 0) {
        n = lent;
      } else {
        n = piece(n);
        copy(src, n);
      }
      publish();
      lookForSleeper(bell);
      done += n;
    }
    return done;
  }

  /**
   * Reads one piece of a file straight into the ring, by one read of the kernel.
   *
   * @param file where the bytes come from
   * @param at the first of them, in the file
   * @param count how many at most; positive
   * @param bell rung if the peer's reader is armed
   * @return bytes written; 0 if there is no space; or {@link FileFill#END}, {@link
   *     FileFill#UNREADABLE}
   * @throws IOException as {@link #write(ByteBuffer, Bell)}; or the file was closed
   */
  public int fill(FileChannel file, long at, long count, Bell bell) throws IOException {
    int wanted = files.wanted(count);
    int offset = (int) position & size - 1;
    int n = files.read(file, at, offset, Math.min(space(wanted), wanted));
    if (n > 0) {
      push(offset, n);
      position += n;
      publish();
      lookForSleeper(bell);
    }
    return n;
  }

  /** How much becomes visible next of what there is space for. */
  private int piece(int n) {
    return n < bulk ? Math.min(n, SPAN_BYTES) : Math.min(n, largestPiece);
  }

  /**
   * Gathers: publishes once for many small buffers, and large ones as {@link #write(ByteBuffer,
   * Bell)} does.
   *
   * @param srcs the buffers; their positions advance by what was taken of each
   * @param from index of the first
   * @param to index behind the last
   * @param bell rung if the peer's reader is armed
   * @return bytes written; 0 if there is no space (or nothing to write)
   * @throws IOException the peer broke the protocol, or the bell could not be rung
   */
  public long write(ByteBuffer[] srcs, int from, int to, Bell bell) throws IOException {
    if (to - from == 1) {
      return write(srcs[from], bell);
    }
    long done = 0;
    int unpublished = 0;
    try {
      for (int i = from; i < to; i++) {
        ByteBuffer src = srcs[i];
        boolean large = isLent(src);
        while (src.hasRemaining()) {
          int room = Math.min(src.remaining(), space(src.remaining()));
          if (room == 0) {
            return flush(unpublished, done, bell);
          }
          int lent = large ? borrow(src, room) : 0;
          large = lent > 0;
          if (lent > 0) {
            done += lent;
            unpublished = 0;
            flush(lent, 0, bell);
            continue;
          }
          int n = Math.min(room, SPAN_BYTES - unpublished);
          copy(src, n);
          done += n;
          unpublished += n;
          if (unpublished == SPAN_BYTES) {
            unpublished = 0;
            flush(SPAN_BYTES, 0, bell);
          }
        }
      }
    } catch (RuntimeException e) {
      position -= unpublished; // a buffer whose memory is gone: nobody saw the bytes before it
      if (proof != null) {
        proof.forget();
      }
      throw e;
    }
    return flush(unpublished, done, bell);
  }

  private long flush(int unpublished, long result, Bell bell) throws IOException {
    if (unpublished > 0) {
      publish();
      lookForSleeper(bell);
    }
    return result;
  }

  /**
   * The message and its position in one or two cache lines, if the reader has everything before it.
   */
  private boolean tryMailbox(ByteBuffer src, int length) throws ProtocolViolationException {
    if (credit != position) {
      refreshCredit();
      if (credit != position) {
        return false;
      }
    }
    // The mailbox needs no space in the ring, but the bytes after it will: positions keep within
    // the grant.
    if (length == 0 || space(length) < length || position >= Long.MAX_VALUE >>> 8) {
      return false;
    }
    int at = src.position();
    mailbox.put(0, src, at, length);
    if (proof != null) {
      proof.addMailbox(0, length);
    }
    src.position(at + length);
    ControlLayout.putLongPlain(
        peerWords, ControlLayout.INLINE, ControlLayout.inline(position, length));
    position += length;
    publish(seals ? Seal.word(peerWords, position) : positionWord());
    reader.forgetRead();
    return true;
  }

  private boolean isLent(ByteBuffer src) {
    return src.remaining() >= Loan.LEAST_BYTES && src.isDirect() && proof == null;
  }

  /** Bytes travel from the program's own buffer; 0 if they can not. */
  private int borrow(ByteBuffer src, int room) throws ProtocolViolationException {
    int offset = (int) position & size - 1;
    int n = Math.min(Math.min(room, largestLoan), size - offset);
    int at = src.position();
    if (!link.pushFrom(src, at, offset, n)) {
      return 0;
    }
    if (!loan.add(src, at, position, n)) {
      giveBack(); // the link waits for this piece too
      loan.add(src, at, position, n);
    }
    position += n;
    src.position(at + n);
    return n;
  }

  /**
   * To be called before the program gets its buffer back: keeps a copy of what the peer has given
   * no credit for, and waits until the medium needs the buffer no more. Nothing to do if no byte
   * was borrowed.
   *
   * @throws ProtocolViolationException the peer gave credit for bytes that it never got
   */
  public void giveBack() throws ProtocolViolationException {
    if (!loan.stands()) {
      return;
    }
    try {
      refreshCredit();
      loan.keep(ring, credit);
    } finally {
      loan.end();
      link.awaitTaken();
    }
  }

  private void copy(ByteBuffer src, int n) {
    int offset = (int) position & size - 1;
    int first = Math.min(n, size - offset);
    int at = src.position();
    ring.put(offset, src, at, first);
    push(offset, first);
    if (first < n) {
      ring.put(0, src, at + first, n - first);
      push(0, n - first);
    }
    src.position(at + n);
    position += n;
  }

  private void push(int offset, int length) {
    if (proof != null) {
      proof.addRing(offset, length);
    }
    link.push(offset, length);
  }

  private void publish() {
    publish(positionWord());
  }

  private long positionWord() {
    return proof == null ? position : proof.word(position);
  }

  private void publish(long word) {
    long taken = reader.consumedAcquire();
    if (taken != echoed) {
      ControlLayout.putLongPlain(peerWords, ControlLayout.ECHO, taken);
      echoed = taken;
    }
    link.publish(ControlLayout.POSITION, word);
  }

  private void lookForSleeper(Bell bell) throws IOException {
    link.fence();
    int armed = ControlLayout.getIntAcquire(words, ControlLayout.ARMED);
    if (armed != rungFor && armed != 0) {
      rungFor = bell.ring() ? armed : 0;
    }
  }

  /**
   * Space in the ring.
   *
   * @param wanted how much would be good; the peer's words are looked at only if the last known
   *     credit does not cover it
   * @return bytes that can be written now
   * @throws ProtocolViolationException the peer gave credit for bytes that it never got
   */
  public int space(int wanted) throws ProtocolViolationException {
    long free = limit - position;
    if (free < wanted) {
      refreshCredit();
      free = limit - position;
    }
    return (int) Math.max(0, free); // a peer may take a grant back that we have used
  }

  /**
   * Whether there seems to be space; any thread, no lock. For readiness only: our own position may
   * be seen late, the peer's credit never is.
   *
   * @return true if a write would probably take something
   */
  public boolean peekSpace() {
    long at = position;
    long taken =
        Math.max(
            ControlLayout.getLongAcquire(words, ControlLayout.CREDIT),
            ControlLayout.getLongAcquire(words, ControlLayout.ECHO));
    long storage = ControlLayout.getLongAcquire(words, ControlLayout.GRANTED);
    return at - taken < size && (storage >= size || at < storage);
  }

  /**
   * Bytes that the peer seems not to have taken out; any thread, no lock. For people only.
   *
   * @return between 0 and {@link #size}
   */
  public int peekUsed() {
    long taken =
        Math.max(
            ControlLayout.getLongAcquire(words, ControlLayout.CREDIT),
            ControlLayout.getLongAcquire(words, ControlLayout.ECHO));
    return (int) Math.clamp(position - Math.max(taken, credit), 0L, size);
  }

  /**
   * What fits into the peer's window.
   *
   * @return bytes
   */
  public int size() {
    return size;
  }

  private void refreshCredit() throws ProtocolViolationException {
    long byReader = ControlLayout.getLongAcquire(words, ControlLayout.CREDIT);
    long byWriter = ControlLayout.getLongAcquire(words, ControlLayout.ECHO);
    long newest = Math.max(byReader, byWriter);
    if (newest > position) {
      throw new ProtocolViolationException(
          "Peer gives credit for " + newest + " bytes, but only " + position + " were sent");
    }
    // The two words are written by two threads: an older value is no news, and no violation.
    credit = Math.max(credit, newest);
    if (granted < size) {
      long g = ControlLayout.getLongAcquire(words, ControlLayout.GRANTED);
      granted = Math.max(granted, Math.min(g, size));
    }
    limit = credit + size;
    if (granted < size) {
      limit = Math.min(limit, granted);
    }
  }

  /**
   * Tells the peer that we are out of credit and will sleep; to be followed by a look at {@link
   * #space} and, if there is none, by a sleep that the peer's notice ends.
   */
  public void wantCredit() {
    starvations = starvations == Integer.MAX_VALUE ? 1 : starvations + 1;
    link.publishInt(ControlLayout.WANT_CREDIT, starvations);
    link.place();
  }

  /**
   * Whether the peer has taken everything out.
   *
   * @return true if nothing is unread
   * @throws ProtocolViolationException the peer gave credit for bytes that it never got
   */
  public boolean drained() throws ProtocolViolationException {
    refreshCredit();
    return credit == position;
  }

  /**
   * The position up to which the peer has taken everything out.
   *
   * @return the credit, as far as it is known
   */
  public long credit() {
    return credit;
  }

  /**
   * A copy of what the peer has given no credit for: from {@link #credit} to {@link #position}. For
   * a failed link, which may have lost some of it.
   *
   * @return the bytes
   * @throws ProtocolViolationException the peer gave credit for bytes that it never got
   */
  public ByteBuffer unacknowledged() throws ProtocolViolationException {
    giveBack();
    refreshCredit();
    long inline = ControlLayout.getLongPlain(peerWords, ControlLayout.INLINE);
    return Unacknowledged.copy(ring, mailbox, inline, credit, position);
  }

  /**
   * Begins a new turn in the ring: makes the switch count visible to the peer; MARK follows on the
   * anchor.
   *
   * @param rawBytes bytes on the anchor before MARK
   */
  public void beginTurn(long rawBytes) {
    turn++;
    turnBegan = position;
    link.publish(ControlLayout.SWITCH_AT, ControlLayout.switchWord(rawBytes, turn));
    link.place(); // MARK travels on another medium
  }

  /**
   * Bytes published in the current turn, or in the last one.
   *
   * @return how much of the position belongs to it
   */
  public long turnBytes() {
    return position - turnBegan;
  }

  /**
   * Whether the peer has read the BACK of the last turn. Until then the direction must stay on the
   * anchor: the peer may still be reading the ring, and must not find later bytes there.
   *
   * @return true if a new turn may begin
   */
  public boolean isTurnOver() {
    return ControlLayout.getIntAcquire(words, ControlLayout.BACK_SEEN) == turn;
  }

  /**
   * Whether the peer is known to have read MARK, and so every raw byte before it.
   *
   * @return false if it may not have
   * @throws ProtocolViolationException the peer's words are nonsense
   */
  public boolean isTurnSeen() throws ProtocolViolationException {
    refreshCredit();
    return credit > turnBegan;
  }

  /**
   * Tells the peer how much of its bytes this end has taken out, to the byte: the last word on it,
   * before this end closes. Credit comes in steps, and what it has not come for would count as
   * unread.
   */
  public void publishTaken() {
    echoed = reader.consumedAcquire();
    link.publish(ControlLayout.ECHO, echoed);
  }

  /** Says that the current position is the last one. */
  public void publishFin() {
    link.publish(ControlLayout.FIN_AT, position + 1);
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
