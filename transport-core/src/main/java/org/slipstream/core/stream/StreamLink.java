package org.slipstream.core.stream;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.doorbell.FutexWord;
import org.slipstream.core.ring.PipeDoorbell;
import org.slipstream.core.ring.RingConsumer;
import org.slipstream.core.ring.RingProducer;
import org.slipstream.core.upgrade.LinkState;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.Link;
import org.slipstream.transport.MemoryFaults;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/**
 * What a stream has when a transport joins it to its peer: a link, its two rings, and the proof.
 */
public final class StreamLink {

  /** Bytes of MARK: the nonce. */
  public static final int MARK_BYTES = 16;

  private final Session session;
  private final long id;
  private final long peerId;
  private final Window window;
  private final Link link;
  private final byte[] nonce;
  private final RingConsumer consumer;
  private final RingProducer producer;
  private final LinkControl control;

  private final LinkState state = new LinkState();

  /** A later session with the same process. Set by the reactor; read by any thread. */
  private volatile @Nullable Session reachedOver;

  /** What the stream's earlier links carried. Set by the reactor before any thread has this one. */
  private long carriedOut;

  private long carriedIn;

  /** Made for the first sleep of a reader on it. Guarded by the read lock. */
  private @Nullable FutexWord futexWord;

  /** What a link asks of the control side. Never blocks. */
  public interface LinkControl {
    /**
     * How the peer's readers are woken that name another way than TCP. By the thread that makes the
     * link.
     *
     * @param session of the link
     * @param link in whose windows the peer names it
     * @return guarded by the write lock of the stream
     */
    default PipeDoorbell pipeDoorbell(Session session, Link link) {
      return PipeDoorbell.NONE;
    }

    /**
     * The peer's writer sleeps; there is space now.
     *
     * @param link of the stream that was read
     */
    void sendCreditNotice(StreamLink link);

    /**
     * Our window can not serve any longer; the peer should leave the ring.
     *
     * @param link whose window it is
     */
    void sendRevoke(StreamLink link);

    /**
     * Control bytes of ours lie in the kernel of the peer, whose program may not read for long: the
     * peer should take them now.
     *
     * @param link of the stream that wrote them
     */
    void askToLook(StreamLink link);

    /**
     * MARK has come back on the TCP connection: the peer of the session is the stream's. By the
     * thread that reads; must not block.
     *
     * @param link that is proven
     */
    default void linkProven(StreamLink link) {}

    /**
     * The link has failed, although its session may not know yet.
     *
     * @param link that its stream has left
     */
    void linkFailed(StreamLink link);

    /**
     * The stream is closed, or has another link, and no thread of ours uses the link any more.
     *
     * @param link to be given back
     */
    void linkUnused(StreamLink link);
  }

  /**
   * Makes one.
   *
   * @param session through which the two processes talk
   * @param id our name for the link
   * @param peerId the peer's name for it
   * @param window our receive window
   * @param link the joined windows
   * @param nonce the 16 bytes of MARK
   * @param control where notices go
   */
  public StreamLink(
      Session session,
      long id,
      long peerId,
      Window window,
      Link link,
      byte[] nonce,
      LinkControl control) {
    this.session = session;
    this.id = id;
    this.peerId = peerId;
    this.window = window;
    this.link = link;
    this.nonce = nonce.clone();
    this.control = control;
    this.consumer = new RingConsumer(link, window);
    this.producer = new RingProducer(link, consumer, control.pipeDoorbell(session, link));
  }

  /**
   * The session.
   *
   * @return through which the two processes talk
   */
  public Session session() {
    return session;
  }

  /**
   * Our name.
   *
   * @return unique in this process
   */
  public long id() {
    return id;
  }

  /**
   * The peer's name.
   *
   * @return unique in the peer's process
   */
  public long peerId() {
    return peerId;
  }

  /**
   * Our window.
   *
   * @return the window
   */
  public Window window() {
    return window;
  }

  /**
   * The joined windows.
   *
   * @return the link
   */
  public Link link() {
    return link;
  }

  /**
   * On which a blocked reader of this link sleeps.
   *
   * @return of our own window; guarded by the read lock
   */
  FutexWord futexWord() {
    FutexWord word = futexWord;
    if (word == null) {
      word = new FutexWord(link.receiveControl());
      futexWord = word;
    }
    return word;
  }

  /**
   * The receiving half.
   *
   * @return guarded by the read lock
   */
  public RingConsumer consumer() {
    return consumer;
  }

  /**
   * The sending half.
   *
   * @return guarded by the write lock
   */
  public RingProducer producer() {
    return producer;
  }

  /** The stream had another link before. Reactor, before any thread uses this one. */
  void follow(StreamLink failed) {
    carriedOut = failed.bytesOut();
    carriedIn = failed.bytesIn();
  }

  /** Bytes of the stream that were published in rings, earlier links' too; any thread, racy. */
  long bytesOut() {
    return carriedOut + producer.credit().position();
  }

  /** Bytes of the stream that were taken out of rings, earlier links' too; any thread, racy. */
  long bytesIn() {
    return carriedIn + consumer.consumed();
  }

  /**
   * No store into the peer's window, which may be another stream's from now on. Under both locks of
   * the stream: a thread that holds one has either finished with the window, or finds nothing that
   * it could store to.
   */
  void release() {
    producer.release();
    consumer.release();
  }

  ByteBuffer mark() {
    return ByteBuffer.wrap(nonce);
  }

  /**
   * Whether the bytes of a buffer from a place on are MARK, or its beginning. Compares them all,
   * whatever differs: the nonce is a secret of the two processes.
   */
  boolean beginsMark(ByteBuffer received, int from) {
    int differences = 0;
    for (int i = 0; i < MARK_BYTES && from + i < received.limit(); i++) {
      differences |= nonce[i] ^ received.get(from + i);
    }
    return differences == 0;
  }

  /** Bytes that our program has not read; any thread, racy. */
  int unreadHere() {
    try {
      return MemoryFaults.settled(consumer.peekUsed());
    } catch (IllegalStateException | InternalError e) {
      return 0; // the memory is gone
    }
  }

  /** Bytes that the peer's program has not read; any thread, racy. */
  int unreadThere() {
    try {
      return MemoryFaults.settled(producer.credit().peekUsed());
    } catch (IllegalStateException | InternalError e) {
      return 0; // the memory is gone
    }
  }

  LinkControl control() {
    return control;
  }

  /** Whether what lies in the window of the peer may be lost. */
  boolean hasFailed() {
    return state.isFailed() || link.isBroken();
  }

  /**
   * Whether the link may be used no more, because its session is gone for example: a direction that
   * travels in it falls back to TCP.
   *
   * @return true once no byte may enter the ring any more
   */
  public boolean isDead() {
    return state.isFailed();
  }

  /** The link may be used no more. */
  public void markDead() {
    state.failed();
  }

  /** The session is gone, or the peer said that the link has failed; the link is dead. */
  public void markLost() {
    state.lost();
  }

  /**
   * The process at the other end of the TCP connection is that of the link: the connecting end
   * knows it by the tuple or by a probe of the path, the accepting one by the switch marker.
   */
  public void provePeer() {
    state.proven();
  }

  /** Whether control bytes on the TCP connection reach the peer of this link, if any process. */
  boolean isPeerProven() {
    return state.isProven();
  }

  /**
   * The session of this link is over, but there is another one with the same process.
   *
   * @param session just opened
   */
  public void reachedOver(Session session) {
    reachedOver = session;
  }

  /** Whether the process of the peer is known to live: there is an open session with it. */
  public boolean canReachPeer() {
    Session later = reachedOver;
    return session.isOpen() || (later != null && later.isOpen());
  }

  /**
   * The session for notices about this link.
   *
   * @return that of the link, or a later one with the same process
   */
  public Session openSession() {
    Session later = reachedOver;
    return later != null && !session.isOpen() ? later : session;
  }

  /** Whether both ends know that the link is dead, or the peer's end is about to. */
  boolean isLost() {
    return state.isLost();
  }

  /**
   * Whether the peer has closed the stream.
   *
   * @return true once what is written here is never read
   */
  public boolean isPeerClosed() {
    return state.isPeerClosed();
  }

  /** Whether the peer has said, in either way, that it reads no more; any thread. */
  boolean hasPeerClosed() {
    return state.isPeerClosed() || isFlaggedClosed();
  }

  /** Whether the peer's window says so; its control message follows. */
  private boolean isFlaggedClosed() {
    return (consumer.peerFlags() & (ControlLayout.FLAG_RESET | ControlLayout.FLAG_CLOSED)) != 0;
  }

  /** Whether our direction may use the ring, once the peer is proven. */
  boolean mayEnterRing() {
    return state.mayEnterRing(link.isBroken(), isFlaggedClosed());
  }

  /** Whether our direction must not use the ring any more, although the peer is still there. */
  boolean mustLeaveRing() {
    return state.mustLeaveRing(link.isBroken()) && !isFlaggedClosed();
  }

  /** The peer has closed the stream: what is written now is never read. */
  public void markPeerClosed() {
    state.peerClosed();
  }

  /** True for the first caller. */
  boolean requestRevoke() {
    return state.asked();
  }

  boolean isRevoked() {
    return state.isRevoked();
  }

  /** Whether one of the two ends has taken the stream back to TCP. */
  boolean isRevokedOrAsked() {
    return state.isRevokedOrAsked();
  }

  /** The peer wants our direction back to TCP. */
  public void markRevoked() {
    state.revoked();
  }

  /**
   * Takes both directions back to TCP for good, without losing a byte: ours leaves the ring with
   * its next write or {@link Stream#nudge}, the peer's when the peer has been asked.
   */
  public void fallBack() {
    if (state.revoked()) {
      control.sendRevoke(this);
    }
  }
}
