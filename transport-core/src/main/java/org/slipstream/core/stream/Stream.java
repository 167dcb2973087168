package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.ConnectionState;
import org.slipstream.core.api.Reason;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.OutOfLine;

/**
 * A byte stream over a kernel TCP connection (its <em>backing TCP connection</em>) that may travel
 * on a link instead. The semantics of stream sockets live here, once; adapters translate.
 *
 * <p>A reader and a writer may run at once. Blocking reads and writes end by data, space, end of
 * stream, reset, close (from any thread), shutdown, interrupt and, for reads, a deadline.
 *
 * <p>Locks: {@code in.lock} (read lock), then {@code out.lock} (write lock). The reactor takes them
 * only by {@code tryLock}.
 */
public final class Stream {
  /** A blocking operation did nothing, because {@link InterruptScope#mustNotBlock}. */
  public static final int MUST_NOT_BLOCK = InterruptScope.MUST_NOT_BLOCK;

  /** Raw operations that make a stream worth an offer: one exchange. */
  private static final int ELIGIBLE_AFTER = 2;

  private final boolean client;
  private final StreamHost host;
  private final StreamContext context;
  private final Inbound in;
  final Outbound out;
  private final LinkRelease release;
  private final Closer closer;
  private final LinkJoin join;
  private final CopyOnWriteArrayList<StreamObserver> observers = new CopyOnWriteArrayList<>();

  /** Racy count by readers and writers; a lost increment only delays the offer. */
  private int rawOperations;

  /**
   * Null unless the medium has a round trip that is measured. Set by the reactor once; racy, as a
   * thread that sees it later measures later.
   */
  private @Nullable AnswerTimes answers;

  /**
   * Makes a stream over a socket.
   *
   * @param tcp a channel of the JDK's default provider; belongs to the stream from now on
   * @param client whether this end connected (and not accepted)
   * @param scope brackets waits
   * @param host the process
   */
  public Stream(SocketChannel tcp, boolean client, InterruptScope scope, StreamHost host) {
    this.client = client;
    this.host = host;
    this.context =
        new StreamContext(
            tcp,
            scope,
            host.loadSensor(),
            host.maxSpinNanos(),
            host.firstWriteGraceNanos(),
            host.clock(),
            host.doorbellSource(),
            new Signals());
    this.in = new Inbound(context);
    this.out = new Outbound(context, in);
    this.release = new LinkRelease(context, in.lock, out.lock);
    this.closer = new Closer(context, in, out);
    this.join = new LinkJoin(context, in, out, release);
  }

  /** What the parts tell. */
  private final class Signals implements StreamSignals {
    @Override
    public void changed() {
      Stream.this.changed();
    }

    @Override
    public void tellOthers() {
      if (observers.size() > 1) {
        Stream.this.changed();
      }
    }

    @Override
    public boolean isWatchedByOne() {
      return observers.size() == 1;
    }

    @Override
    public void countRaw() {
      if (++rawOperations == ELIGIBLE_AFTER && context.slot.reason() == Reason.NOT_YET_ELIGIBLE) {
        try {
          host.eligible(Stream.this);
        } catch (OutOfMemoryError e) { // the bytes that were moved are the program's all the same
          rawOperations = 0; // soon again
        }
      }
    }

    @Override
    public void waited(boolean reading, long nanos) {
      host.waited(Stream.this, reading, nanos);
    }
  }

  // -- data ------------------------------------------------------------------------------------

  /**
   * Reads some bytes; see {@link java.nio.channels.SocketChannel#read(ByteBuffer)}.
   *
   * @param dst where to
   * @param blocking whether to wait
   * @param deadline {@link System#nanoTime} value for {@link java.net.SocketTimeoutException}; 0 =
   *     never
   * @return bytes read; 0 if there are none (not blocking) or no room; -1 at the end
   * @throws IOException as the JDK's own channel
   */
  @OutOfLine
  public int read(ByteBuffer dst, boolean blocking, long deadline) throws IOException {
    DeadlineLock.lock(in.lock, deadline);
    try {
      context.state.checkInput();
      if (!dst.hasRemaining()) {
        return context.slot.link() == null
            ? context.tcp.read(dst)
            : context.state.isInputShutdown() ? -1 : 0;
      }
      return answered(MemoryFaults.settled(in.read(dst, blocking, deadline)));
    } catch (InternalError e) {
      throw memoryFault(e);
    } finally {
      in.lock.unlock();
      releaseIfClosed();
    }
  }

  /**
   * Scatters; see {@link java.nio.channels.SocketChannel#read(ByteBuffer[], int, int)}.
   *
   * @param dsts where to
   * @param offset index of the first buffer
   * @param length how many buffers
   * @param blocking whether to wait
   * @return bytes read; 0 if there are none (not blocking) or no room; -1 at the end
   * @throws IOException as the JDK's own channel
   */
  @OutOfLine
  public long read(ByteBuffer[] dsts, int offset, int length, boolean blocking) throws IOException {
    in.lock.lock();
    try {
      context.state.checkInput();
      boolean room = false;
      for (int i = offset; i < offset + length; i++) {
        room |= dsts[i].hasRemaining();
      }
      if (!room) {
        return context.slot.link() == null
            ? context.tcp.read(dsts, offset, length)
            : context.state.isInputShutdown() ? -1 : 0;
      }
      return answered(MemoryFaults.settled(in.read(dsts, offset, offset + length, blocking)));
    } catch (InternalError e) {
      throw memoryFault(e);
    } finally {
      in.lock.unlock();
      releaseIfClosed();
    }
  }

  /**
   * Writes; see {@link java.nio.channels.SocketChannel#write(ByteBuffer)}.
   *
   * @param src the bytes
   * @param blocking whether to wait until all are written
   * @return bytes written
   * @throws IOException as the JDK's own channel
   */
  @OutOfLine
  public int write(ByteBuffer src, boolean blocking) throws IOException {
    asked();
    out.lock.lock();
    try {
      return MemoryFaults.settled(out.write(src, blocking));
    } catch (InternalError e) {
      throw memoryFault(e);
    } finally {
      out.lock.unlock();
      afterWrite();
    }
  }

  /**
   * Gathers; see {@link java.nio.channels.SocketChannel#write(ByteBuffer[], int, int)}.
   *
   * @param srcs the bytes
   * @param offset index of the first buffer
   * @param length how many buffers
   * @param blocking whether to wait until all are written
   * @return bytes written
   * @throws IOException as the JDK's own channel
   */
  @OutOfLine
  public long write(ByteBuffer[] srcs, int offset, int length, boolean blocking)
      throws IOException {
    asked();
    out.lock.lock();
    try {
      return MemoryFaults.settled(out.write(srcs, offset, offset + length, blocking));
    } catch (InternalError e) {
      throw memoryFault(e);
    } finally {
      out.lock.unlock();
      afterWrite();
    }
  }

  private void asked() {
    AnswerTimes times = answers;
    if (times != null) {
      times.asked(System.nanoTime());
    }
  }

  private int answered(int n) {
    answered((long) n);
    return n;
  }

  /** Under the read lock. Where the two directions travel differently, nothing is learnt. */
  private long answered(long n) {
    AnswerTimes times = answers;
    StreamLink link = context.slot.link();
    if (times == null || n <= 0 || link == null) {
      return n;
    }
    boolean dead = link.isDead();
    if (dead ? out.isRing() || in.isRing() : !out.isRing() || !in.isRing()) {
      times.forget();
      return n;
    }
    long median = times.answered(System.nanoTime(), !dead);
    if (median >= 0) {
      host.answered(this, median, !dead);
    }
    return n;
  }

  /**
   * Bytes that can be read without waiting.
   *
   * @return an estimate, as the kernel's
   * @throws IOException if the stream is closed
   */
  public int available() throws IOException {
    if (!DeadlineLock.tryBriefly(in.lock)) {
      return 0; // a waiting reader takes the next bytes
    }
    try {
      context.state.checkInput();
      return context.state.isInputShutdown()
          ? 0
          : MemoryFaults.settled(in.readiness.availableBytes());
    } catch (InternalError e) {
      return 0; // memory was taken away: the read will say it
    } finally {
      in.lock.unlock();
      releaseIfClosed();
    }
  }

  /**
   * TCP_NODELAY as the program sees it.
   *
   * @return the option of this stream
   */
  public NoDelay noDelay() {
    return context.noDelay;
  }

  /**
   * Urgent data, which needs care on a stream that may leave TCP.
   *
   * @return the view of this stream
   */
  public UrgentData urgentData() {
    return new UrgentData(context, out, release);
  }

  void afterWrite() throws IOException {
    StreamLink l = context.slot.link();
    // A link that came while we held the lock could not switch us.
    if (l != null
        && client
        && !out.isRing()
        && !l.isDead()
        && context.state.isOpen()
        && context.tcp.isOpen()
        && !context.scope.isInterrupted()) { // else the next operation says it
      nudge();
    }
    releaseIfClosed();
  }

  /**
   * Switches the sending direction, or takes it back to TCP, if that is due and no thread is
   * writing. May write to the TCP connection, and so wait if that is in blocking mode.
   *
   * @return false if the kernel has not taken all control bytes: nudge again, soon
   * @throws IOException from the TCP connection
   */
  @OutOfLine
  public boolean nudge() throws IOException {
    if (!out.lock.tryLock()) {
      return true; // the writer does it
    }
    try {
      return !context.state.isOpen()
          || context.state.isOutputShutdown()
          || MemoryFaults.settled(out.switching.settle(context.tcp.isBlocking()));
    } catch (InternalError e) {
      throw memoryFault(e);
    } finally {
      out.lock.unlock();
      releaseIfClosed();
    }
  }

  StreamContext context() {
    return context;
  }

  IOException memoryFault(InternalError e) {
    return context.slot.memoryFault(e);
  }

  Inbound in() {
    return in;
  }

  /**
   * Reads no more: as {@link java.nio.channels.SocketChannel#shutdownInput}.
   *
   * @throws IOException from the TCP connection
   */
  public void shutdownInput() throws IOException {
    closer.shutdownInput();
    in.wake();
    changed();
    releaseIfClosed();
  }

  /**
   * Writes no more: as {@link java.nio.channels.SocketChannel#shutdownOutput}. A blocked writer is
   * woken.
   *
   * @throws IOException from the TCP connection
   */
  public void shutdownOutput() throws IOException {
    if (closer.shutdownOutput()) {
      changed();
    }
  }

  /**
   * What {@code java.net} sockets do before they close: if unread bytes will make it a reset, the
   * peer reads the end first.
   *
   * @throws IOException from the TCP connection
   */
  public void endBeforeReset() throws IOException {
    if (!context.state.isOutputShutdown() && (context.slot.link() == null || closer.hasUnread())) {
      shutdownOutput();
    }
  }

  /**
   * Closes: unread bytes make it a reset, as in the kernel; else the peer reads everything, and the
   * end. Idempotent; any thread.
   *
   * @param blocking the mode of the channel
   * @throws IOException from the TCP connection
   */
  public void close(boolean blocking) throws IOException {
    if (!context.state.beginClose()) {
      return;
    }
    LateControlBytes late = null;
    try {
      out.wake();
      in.wake();
      StreamLink l = context.slot.link();
      late = l == null ? null : closer.finish(l, blocking);
    } finally { // whatever there was no memory for: no close follows this one
      end(late);
    }
  }

  private void end(@Nullable LateControlBytes late) throws IOException {
    try {
      if (late == null) {
        context.tcp.close();
      }
    } finally {
      context.state.closed();
      in.closed();
      try {
        host.closed(this);
      } finally {
        releaseIfClosed();
        if (late != null) {
          host.linger(context.tcp, out.switching.takePending(), late);
        }
      }
    }
  }

  /**
   * Takes the peer's control bytes off the TCP connection, if they are next: unread they would make
   * the end of this process a reset. Never waits; any thread.
   *
   * @return false if a reader is inside, which may take them or not
   * @throws IOException from the TCP connection
   */
  public boolean takeControlBytes() throws IOException {
    if (context.slot.link() == null || !context.state.isOpen() || context.state.isInputShutdown()) {
      return true;
    }
    try { // never waits, even if the mode changes at this moment
      return MemoryFaults.settled(in.takeDoorbells(true));
    } catch (InternalError e) {
      throw memoryFault(e);
    } finally {
      releaseIfClosed();
    }
  }

  /** By a thread that has given up a lock of the stream. */
  void releaseIfClosed() {
    release.afterUse();
  }

  // -- the link --------------------------------------------------------------------------------

  /**
   * Whether a link could be attached now: there is none, or it failed and both directions are on
   * TCP.
   *
   * @return true if the stream can be joined to its peer
   */
  public boolean isJoinable() {
    return join.isPossible();
  }

  /**
   * Joins the stream to its peer. Reactor only.
   *
   * @param joined the link
   * @return false if the stream was closed meanwhile; then the link is the caller's to give back
   */
  public boolean attach(StreamLink joined) {
    if (!join.attach(joined)) {
      return false;
    }
    if (client && answers == null && joined.session().roundTripNanos() >= 0) {
      answers = new AnswerTimes();
    }
    releaseIfClosed(); // closed in between: the last thread gives it back
    changed();
    host.joined(this);
    return true;
  }

  /**
   * The session ended, or the peer wants our direction back to TCP: waiting threads must look
   * again.
   */
  public void linkChanged() {
    out.wake();
    changed();
  }

  /**
   * The link.
   *
   * @return null while the stream is plain
   */
  public @Nullable StreamLink link() {
    return context.slot.link();
  }

  /**
   * Why it is plain.
   *
   * @return {@link Reason#NONE} if it is not
   */
  public Reason reason() {
    return context.slot.reason();
  }

  /**
   * Says why it stays plain, or falls back to TCP.
   *
   * @param why the reason
   */
  public void stayPlain(Reason why) {
    context.slot.stayPlain(why);
    host.stayedPlain(this, why);
  }

  /**
   * Which doorbell has last woken the reader of this end.
   *
   * @return {@link LastDoorbell#TCP} if there was none yet
   */
  public LastDoorbell lastDoorbell() {
    return in.counters.lastDoorbell;
  }

  /**
   * Looks at the program's writes to the TCP connection from now on.
   *
   * @param probe the only one; null = none
   */
  public void probeRawWrites(@Nullable RawWriteProbe probe) {
    context.rawWriteProbe = probe;
  }

  /**
   * When the stream was made.
   *
   * @return a value of {@link System#nanoTime}; before the connect, at the end that connects
   */
  public long madeAt() {
    return context.madeAt;
  }

  /** {@return the kernel connection} */
  public SocketChannel tcp() {
    return context.tcp;
  }

  /** {@return whether this end connected, and did not accept} */
  public boolean isClient() {
    return client;
  }

  /**
   * Whether it can still be used.
   *
   * @return false once close has begun
   */
  public boolean isOpen() {
    return context.state.isOpen();
  }

  // -- readiness -------------------------------------------------------------------------------

  /**
   * Adds an observer that looks again when the stream changes.
   *
   * @param observer told from any thread
   */
  public void addObserver(StreamObserver observer) {
    observers.add(observer);
  }

  /**
   * Removes an observer.
   *
   * @param observer no longer told
   */
  public void removeObserver(StreamObserver observer) {
    observers.remove(observer);
  }

  void changed() {
    observers.forEach(StreamObserver::streamChanged); // which makes no iterator
  }

  /**
   * The view of selectors and event loops.
   *
   * @return non-blocking readiness
   */
  public Readiness readiness() {
    return new Readiness(context, in, out, release);
  }

  /**
   * What the stream is doing.
   *
   * @return a snapshot, not exact while bytes move
   */
  public StreamStatus status() {
    return new StreamStatus(
        out.reasonNow(context.slot.reasonNow()),
        ConnectionState.of(
            context.state.isOpen(), context.state.isOutputShutdown(), readiness().hasPeerEnded()),
        out.flow(),
        in.flow());
  }

  /**
   * How many reads and writes have moved bytes, on TCP or in the ring. Any thread; also after the
   * stream was closed.
   *
   * @return a count, not exact while bytes move
   */
  public long messages() {
    return in.counters.messages + out.counters.messages;
  }

  /**
   * Runs an action while no reader and no writer is inside.
   *
   * @param action e.g. a change of the blocking mode
   * @throws IOException from the action
   */
  public void exclusively(IoAction action) throws IOException {
    in.lock.lock();
    try {
      out.lock.lock();
      try {
        action.run();
      } finally {
        out.lock.unlock();
      }
    } finally {
      in.lock.unlock();
      releaseIfClosed();
    }
  }
}
