package org.slipstream.transport;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What two processes share over one transport: memory, and a control channel of frames in order.
 *
 * <p>There is at most one session in each direction between two processes (from the one that
 * connects to the one that accepts), reused for every stream; or one for each pair of ports that
 * join them, where a transport has several.
 */
public interface Session {

  /** The longest frame, in bytes. */
  int MAX_FRAME_BYTES = 1024;

  /**
   * The process at the other end.
   *
   * @return its id, as it was told in the handshake
   */
  ProcessId peer();

  /**
   * The name of the transport.
   *
   * @return e.g. {@code shm}
   */
  String transportName();

  /**
   * Whether an address means the same host at both ends, so that the two addresses and ports of a
   * TCP connection name one connection: then the process that accepted it is the one at its other
   * end. Two network namespaces of one kernel may each have a connection with the same four.
   *
   * @return false if the path from one end to the other has to be proven
   */
  default boolean isSameNetwork() {
    return true;
  }

  /**
   * Sends a frame. Any thread; never blocks: what the channel does not take is queued and sent by
   * the reactor. Frames of one thread arrive in order.
   *
   * @param frame at most {@link #MAX_FRAME_BYTES}; copied
   */
  void send(ByteBuffer frame);

  /**
   * Allocates a receive window for a new stream. Called on the reactor. The peer may {@link #join}
   * it when it has received a frame that was sent after this.
   *
   * @return a window whose control block is zero
   * @throws IOException no memory, over budget, no descriptors: the stream stays plain
   */
  Window allocateWindow() throws IOException;

  /**
   * Joins an own window and one of the peer's to a link. Called on the reactor.
   *
   * @param own from {@link #allocateWindow}
   * @param peerDescriptor what the peer's {@link Window#descriptor} said: hostile input
   * @return the link
   * @throws IOException the descriptor is nonsense, or the memory can not be mapped
   */
  Link join(Window own, ByteBuffer peerDescriptor) throws IOException;

  /**
   * Whether another session is with the same process. Where a process may say that it is any other,
   * its id is not enough: transports that can not tell say no.
   *
   * @param other a session of any transport
   * @return false if the one says nothing about the peer of the other
   */
  default boolean isSamePeer(Session other) {
    return peer().equals(other.peer());
  }

  /**
   * Whether an offer of the peer may be about a TCP connection whose client has this address. A
   * peer without a proof of its own speaks only for the address that it comes from: else an
   * unproven peer could offer a connection of another host and, where that host relays bytes of the
   * unproven peer's, have the proof written on it. Called on the reactor.
   *
   * @param client of a TCP connection that this process accepted
   * @return false if the offer has to be refused
   */
  default boolean speaksFor(InetAddress client) {
    return true;
  }

  /**
   * Whether one more link may be made for an offer of the peer now. A peer that has proven nothing
   * has few links; its other offers wait for {@link #proven}. Called on the reactor.
   *
   * @return false if the offer has to wait
   */
  default boolean mayJoin() {
    return true;
  }

  /**
   * The proof that went to the peer over this session has come back on a TCP connection that this
   * process accepted or made. Any thread; cheap.
   *
   * @return true if {@link #mayJoin} may have another answer from now on
   */
  default boolean proven() {
    return false;
  }

  /**
   * Whether the two processes live on one kernel and map each other's windows: one may write into a
   * pipe of the other's, and a reader may sleep on a word of its window. Any thread.
   *
   * @return false if a doorbell can only be a byte on the TCP connection
   */
  default boolean mayUsePipes() {
    return false;
  }

  /**
   * Whether the two processes live on one kernel and belong to one user: then the peer may ask for
   * connections that this process accepted by their first segments, whatever their addresses. Any
   * thread.
   *
   * @return false if an offer counts for the addresses that it names
   */
  default boolean isOneKernel() {
    return mayUsePipes();
  }

  /**
   * Whether a process, as numbered in our {@code /proc}, is the peer: its word alone is not enough,
   * since it could make us write into a pipe of some other process. Asks the kernel. Called on the
   * reactor.
   *
   * @param pid of a process other than ours
   * @return false if it is not certain
   */
  default boolean isProcess(long pid) {
    return false;
  }

  /**
   * A recent round trip of the medium, if the transport measures it: then the streams' answers are
   * compared with those of their TCP connections, and a session that is slower ends. Any thread;
   * cheap.
   *
   * @return nanoseconds, 0 if none was measured yet; negative where it is never slower than TCP
   */
  default long roundTripNanos() {
    return -1;
  }

  /**
   * What operators want to know of it: its device, for example. Any thread; cheap; also when it is
   * over.
   *
   * @return names and values for {@code slipstream ps --sessions}, each a {@code String} or a
   *     {@code Long}; a new map
   */
  default Map<String, Object> describe() {
    return new LinkedHashMap<>();
  }

  /**
   * Ends the session with all its links.
   *
   * @param cause one sentence
   */
  void abort(String cause);

  /**
   * Whether it is still usable.
   *
   * @return false after it was lost or aborted
   */
  boolean isOpen();
}
