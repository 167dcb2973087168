package org.slipstream.core.ring;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;
import org.slipstream.transport.OutOfLine;
import org.slipstream.transport.Window;

/**
 * The receiving half of a byte ring: copies bytes out of our own window and gives credit.
 *
 * <p>Guarded by the stream's read lock, except the {@code peek} methods. Never blocks, allocates or
 * logs. Every word of the window is hostile input and is loaded once.
 */
public final class RingConsumer {
  private static final VarHandle CONSUMED;

  static {
    try {
      CONSUMED = MethodHandles.lookup().findVarHandle(RingConsumer.class, "consumed", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Unusable once released. Written under both locks of the stream. */
  private Link link;

  /**
   * Our control block, for all parts of the link: in a crowd each object is a miss of the cache.
   */
  private final ByteBuffer words;

  private final ByteBuffer ring;
  private final int size;
  private final ReceiveCredit credit;
  private final ReceiveEpochs epochs;
  private final ReceiveIntegrity integrity;

  /** Written under the read lock (release), read by our writer (acquire) and by selectors. */
  private long consumed;

  /** Last position of the peer that we know of. */
  private long published;

  private int armedAs;
  private int armings = 1;

  /** Where the peer was told to ring; null: the TCP connection. */
  private @Nullable PipeAddress told;

  private @Nullable ByteBuffer files; // a view for files; most streams see none

  private @Nullable WholePages pages; // few streams see a file that demands them

  /** Never read; any thread. Without it the compiler would remove the load that it comes from. */
  @SuppressWarnings("UnusedVariable")
  private long fetched;

  /** A hint between reader and writer thread, racy by intent: "the peer waits for an answer". */
  private boolean read;

  /**
   * Makes the receiving half of a link.
   *
   * @param link the windows
   * @param window our own window
   */
  public RingConsumer(Link link, Window window) {
    this.link = link;
    this.words = ControlLayout.words(link.receiveControl());
    this.ring = link.receiveRing().asByteBuffer();
    this.size = ring.capacity();
    this.credit = new ReceiveCredit(link, window, words);
    this.epochs = new ReceiveEpochs(link, words);
    this.integrity = ReceiveIntegrity.of(link, words, ring, credit);
  }

  /**
   * What the peer may send.
   *
   * @return guarded by the read lock
   */
  public ReceiveCredit credit() {
    return credit;
  }

  /**
   * This direction's epochs in the ring.
   *
   * @return guarded by the read lock
   */
  public ReceiveEpochs epochs() {
    return epochs;
  }

  /**
   * The window of the peer may be another stream's from now on: no word of ours gets there. Under
   * both locks of the stream.
   */
  public void release() {
    link = ReleasedLink.INSTANCE;
    credit.release();
    epochs.release();
    integrity.release();
  }

  /** Our control block, which the peer writes. */
  ByteBuffer words() {
    return words;
  }

  boolean wasRead() {
    return read;
  }

  void forgetRead() {
    read = false;
  }

  /** What we have taken out, for the writer's piggybacked credit. */
  long consumedAcquire() {
    return (long) CONSUMED.getAcquire(this);
  }

  /**
   * Bytes taken out since the link was made.
   *
   * @return the consumer position
   */
  public long consumed() {
    return consumed;
  }

  /**
   * Reads what is there.
   *
   * @param dst filled as far as possible
   * @return bytes read; 0 if there is nothing (or no room in dst)
   * @throws ProtocolViolationException the peer's words are nonsense
   */
  @OutOfLine
  public int read(ByteBuffer dst) throws ProtocolViolationException {
    if (published == consumed && !refreshPosition(false)) {
      return 0;
    }
    long before = consumed;
    int room = dst.remaining();
    int n = copy(dst, room);
    if (n < room && published != consumed) {
      n += copy(dst, room - n);
    }
    taken(before);
    return n;
  }

  /**
   * Writes one piece straight into a file, by one write of the kernel; takes out what the file has
   * taken.
   *
   * @param file where the bytes go
   * @param at where in the file
   * @param count how many at most; positive
   * @return bytes written, by way of aligned memory if the file demands that; 0 if there is nothing
   *     in the ring, or what is there is in the mailbox
   * @throws IOException from the file, and nothing was taken out; or the peer's words are nonsense
   */
  public int drain(FileChannel file, long at, long count) throws IOException {
    if (published == consumed && !refreshPosition(false)) {
      return 0;
    }
    long from = consumed;
    long inline = ControlLayout.getLongPlain(words, ControlLayout.INLINE);
    long skip = from - ControlLayout.inlineStart(inline);
    if (skip >= 0 && skip < ControlLayout.inlineLength(inline)) {
      return 0;
    }
    RingPlaces places = credit.places();
    int offset = places.offset(from);
    int most = (int) Math.min(published - from, count);
    int run = Math.min(Math.min(most, credit.step()), places.run(from));
    ByteBuffer view = files;
    if (view == null) {
      view = ring.duplicate(); // our own has no limit, and must keep none
      files = view;
    }
    int n;
    try {
      n = file.write(view.clear().limit(offset + run).position(offset), at);
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      fetched = ring.get(offset); // a fault, if the peer has shortened the window
      n = drainPages(file, at, places, most);
      if (n == 0) {
        throw e;
      }
    }
    CONSUMED.setRelease(this, from + n);
    taken(from);
    return n;
  }

  /** A file may take nothing but whole pages of aligned memory: also of more than a step. */
  private int drainPages(FileChannel file, long at, RingPlaces places, int most)
      throws IOException {
    WholePages aligned = pages;
    if (aligned == null) {
      aligned = new WholePages();
      pages = aligned;
    }
    return aligned.write(file, at, ring, places, consumed, most);
  }

  /** Some bytes were taken out: gives credit if that is due. */
  private void taken(long before) {
    credit.taken(before, consumed, published);
    read = true;
  }

  /** Copies one contiguous kind of bytes: from the mailbox, or from the ring. */
  @OutOfLine
  private int copy(ByteBuffer dst, int room) throws ProtocolViolationException {
    long from = consumed;
    int n = (int) Math.min(room, published - from);
    RingPlaces places = credit.places(); // also before a message of the mailbox is taken
    long inline = ControlLayout.getLongPlain(words, ControlLayout.INLINE);
    long skip = from - ControlLayout.inlineStart(inline);
    int length = ControlLayout.inlineLength(inline);
    int at = dst.position();
    if (skip >= 0 && skip < length) {
      if (length > ControlLayout.MAILBOX_BYTES) {
        throw new ProtocolViolationException("Peer claims " + length + " bytes in the mailbox");
      }
      n = (int) Math.min(n, length - skip);
      dst.put(at, words, ControlLayout.MAILBOX + (int) skip, n);
    } else {
      for (int done = 0; done < n; ) {
        int run = Math.min(n - done, places.run(from + done));
        dst.put(at + done, ring, places.offset(from + done), run);
        done += run;
      }
    }
    dst.position(at + n);
    CONSUMED.setRelease(this, from + n);
    return n;
  }

  /**
   * Returns true if there is something to read. A position that did not match a moment ago is not
   * examined again, unless the caller is about to sleep.
   */
  private boolean refreshPosition(boolean thoroughly) throws ProtocolViolationException {
    long word = positionWord();
    long p = integrity.position(word, published);
    if (p == published) {
      integrity.nothingIsClaimed();
      return published != consumed;
    }
    if (p < published || p - consumed > size) {
      throw new ProtocolViolationException(
          "Peer's position went from " + published + " to " + p + " with " + consumed + " read");
    }
    if (!integrity.holds(word, published, p, thoroughly)) {
      return published != consumed; // some of it is not there yet, or lost
    }
    published = p;
    return true;
  }

  /** The one word that says how far the peer is: the position, or its low half and its checksum. */
  private long positionWord() {
    return ControlLayout.getLongAcquire(words, ControlLayout.POSITION);
  }

  /**
   * Whether there is something to read.
   *
   * @return true if a read would return bytes
   * @throws ProtocolViolationException the peer's words are nonsense
   */
  public boolean available() throws ProtocolViolationException {
    return available(false);
  }

  private boolean available(boolean thoroughly) throws ProtocolViolationException {
    return published != consumed || refreshPosition(thoroughly);
  }

  /**
   * As {@link #available}, and a position that did not match a moment ago is examined once more:
   * for a caller that would conclude something from an empty ring.
   *
   * @return true if a read would return bytes
   * @throws ProtocolViolationException the peer's words are nonsense
   */
  public boolean availableAfterAll() throws ProtocolViolationException {
    return available(true);
  }

  /**
   * How much there is to read.
   *
   * @return bytes
   * @throws ProtocolViolationException the peer's words are nonsense
   */
  public int availableBytes() throws ProtocolViolationException {
    refreshPosition(false);
    return (int) (published - consumed);
  }

  /**
   * Whether bytes seem to be there; any thread, no lock. For readiness only.
   *
   * @return true if the peer's position differs from ours, and did not mismatch a moment ago
   */
  public boolean peekAvailable() {
    boolean unread = peekUnread();
    fetchMailbox();
    if (!unread) {
      return false;
    }
    return integrity.isNone()
        || published != consumed
        || integrity.peek(positionWord(), consumedAcquire());
  }

  /**
   * A message in the mailbox is two cache lines, and the second would be asked for only when the
   * first has come. A caller that polls loads both each time: so both are on their way at once.
   */
  private void fetchMailbox() {
    fetched = ControlLayout.getLongPlain(words, ControlLayout.MAILBOX_END - Long.BYTES);
  }

  /**
   * Whether the peer has sent what was not taken out, whether or not it has arrived; any thread, no
   * lock.
   *
   * @return true if the peer's position differs from ours
   */
  public boolean peekUnread() {
    return ahead() != 0;
  }

  /** How far the peer says that it is before us. */
  private long ahead() {
    long word = positionWord();
    long taken = consumedAcquire();
    return integrity.position(word, taken) - taken;
  }

  /**
   * Whether the peer's position has not matched for longer than bytes usually travel: they may be
   * lost, and a waiting reader should sleep until it hears of it; any thread, no lock.
   *
   * @return true if looking again and again leads to nothing
   */
  public boolean isPending() {
    return integrity.isLasting(positionWord());
  }

  /**
   * Bytes that seem to be there; any thread, no lock. For diagnostics only.
   *
   * @return between 0 and {@link #size}
   */
  public int peekUsed() {
    return (int) Math.clamp(ahead(), 0L, size);
  }

  /**
   * What fits into our window.
   *
   * @return bytes
   */
  public int size() {
    return size;
  }

  /**
   * Whether the peer has said which position is the last one, and it has been reached or bytes
   * remain; any thread, no lock. For readiness only.
   *
   * @return true if a read would not find an empty, open stream
   */
  public boolean peekFin() {
    long fin = ControlLayout.getLongAcquire(words, ControlLayout.FIN_AT);
    return fin != 0 && (integrity.isNone() || fin - 1 <= consumedAcquire());
  }

  /**
   * Whether the final position has been reached.
   *
   * @return true if everything has been read and nothing will follow
   * @throws ProtocolViolationException the final position is not the published one
   */
  public boolean finReached() throws ProtocolViolationException {
    long fin = ControlLayout.getLongAcquire(words, ControlLayout.FIN_AT);
    if (fin == 0 || available()) {
      return false;
    }
    if (fin - 1 > published && integrity.isPending()) {
      return false; // the bytes before it are on their way, or lost
    }
    if (fin - 1 != published) {
      throw new ProtocolViolationException(
          "Peer ends the stream at " + (fin - 1) + " but published " + published);
    }
    return true;
  }

  /**
   * As {@link #arm(PipeAddress)}, for a reader that sleeps on the TCP connection.
   *
   * @return true if nothing is there and the caller may sleep until a doorbell; false if bytes came
   * @throws ProtocolViolationException the peer's words are nonsense
   */
  public boolean arm() throws ProtocolViolationException {
    return arm(null);
  }

  /**
   * Arms and looks again: the second half of "arm, look, sleep". The doorbell may be a byte on the
   * TCP connection all the same.
   *
   * @param pipe where the doorbell should go; null = to the TCP connection. Of a futex, the caller
   *     has loaded the word before
   * @return true if nothing is there and the caller may sleep until a doorbell; false if bytes came
   * @throws ProtocolViolationException the peer's words are nonsense
   */
  @OutOfLine
  public boolean arm(@Nullable PipeAddress pipe) throws ProtocolViolationException {
    if (!Objects.equals(pipe, told)) {
      tell(pipe);
    } else if (pipe != null && pipe.pipe() == PipeAddress.FUTEX_WORD) {
      nextNumber(); // a ring of the last one may be in the word that was loaded for this sleep
    }
    if (armedAs != armings) {
      armedAs = armings;
      link.publishInt(ControlLayout.ARMED, armings);
    }
    link.flush();
    if (available(true)) {
      disarm();
      return false;
    }
    if (!integrity.allowsSleep()) {
      disarm();
      return false;
    }
    return true;
  }

  /**
   * The doorbells go another way from now on. Under a new number: the peer rings once for each, and
   * may have rung this one on the way that this reader does not listen to.
   */
  private void tell(@Nullable PipeAddress pipe) {
    if (pipe != null) {
      link.publishInt(ControlLayout.DOORBELL_TOKEN, pipe.token());
      link.publish(ControlLayout.DOORBELL_INODE, pipe.inode());
    }
    link.publish(ControlLayout.DOORBELL_PIPE, pipe == null ? 0 : pipe.pipe());
    told = pipe;
    nextNumber();
  }

  private void disarm() {
    // Not a new number: a doorbell of this one may be on its way, and only its arrival ends the
    // number.
    armedAs = 0;
    if (read && !credit.isDue(published)) {
      link.publishInt(ControlLayout.ARMED, 0);
    } else { // our answer or credit follows soon; until the peer has it, it may ring for nothing
      link.publishIntLater(ControlLayout.ARMED, 0);
    }
  }

  /**
   * The doorbell of the current arming was read from the TCP connection; only now may there be
   * another one.
   */
  public void doorbellHeard() {
    integrity.wake();
    nextNumber();
  }

  private void nextNumber() {
    armings = armings == Integer.MAX_VALUE ? 1 : armings + 1;
  }

  /**
   * A doorbell came out of a pipe. One of an earlier number is late: its arming is over.
   *
   * @param arming the number that it names; 0 if there was none
   * @return whether it is that of the current arming
   */
  public boolean doorbellHeard(int arming) {
    if (arming != armings) {
      return false;
    }
    doorbellHeard();
    return true;
  }

  /**
   * BACK was read, and the ring is empty: tells the peer that it may begin a new epoch. With the
   * credit for the last quarter of the ring, which no later read would give: the peer comes back
   * only to a ring that it knows to be empty.
   */
  public void endEpoch() {
    credit.settle(consumed);
    epochs.end();
  }

  /**
   * The peer's flags.
   *
   * @return {@code FLAG_} constants of {@link ControlLayout}
   */
  public int peerFlags() {
    return ControlLayout.getIntAcquire(words, ControlLayout.FLAGS);
  }

  /**
   * Whether the peer can ring a doorbell in this window.
   *
   * @return what it said when it got the window, or false
   */
  public boolean mayBeRungInWindow() {
    return ControlLayout.getIntAcquire(words, ControlLayout.DOORBELL_ABLE) != 0;
  }
}
