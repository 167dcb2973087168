package org.slipstream.transport;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * What an endpoint does for one-sided memory, beside what it does for streams: memory of this
 * process that others map, and memory of others that this one maps. {@link
 * Transport#sharesMemory()} says which endpoints can.
 *
 * <p>On one host, owners are found by names ({@link #announceOwner(String)}, {@link
 * #findOwner(String, Consumer, Runnable)}); between hosts by addresses: {@link #meetsByAddress}
 * says which.
 *
 * <p>The frames by which two processes agree on a mapping are the business of the module {@code
 * memory}, as the frames of streams are the core's.
 */
public interface MemoryEndpoint extends Endpoint {

  /** The longest {@link OwnMemory#describe description}, in bytes. */
  int MAX_DESCRIPTOR_BYTES = 32;

  /**
   * Whether owners are found by addresses, and not by names.
   *
   * @return true for transports between hosts
   */
  default boolean meetsByAddress() {
    return false;
  }

  /**
   * Lets other processes find this one as an owner of memory.
   *
   * @param owner a name of this process: letters, digits, dots and hyphens, 100 at most
   * @return closed when the name goes
   * @throws IOException if processes can not meet; the message says what to do
   */
  default Closeable announceOwner(String owner) throws IOException {
    return () -> {};
  }

  /**
   * Lets other processes find this one as an owner of memory at an address, where owners are found
   * so. Blocks for a few calls of the system.
   *
   * @param address a bound address, the wildcard included
   * @return closed when the address is not this process's any more
   * @throws IOException if it can not be announced
   */
  default Closeable announceOwner(InetSocketAddress address) throws IOException {
    return announce(address);
  }

  /**
   * Finds the processes that have announced themselves by a name and hands out a session with each.
   * Called on the reactor; answers on the reactor, later than this returns or before.
   *
   * @param owner the name
   * @param answer called once for each process with which a session was made
   * @param lost called once for each process that was found and did not answer
   * @return how many processes were found: so often one of the two is called
   */
  default int findOwner(String owner, Consumer<Session> answer, Runnable lost) {
    return 0;
  }

  /**
   * Finds the process that has announced an address, where owners are found so. Called on the
   * reactor; answers on the reactor, and asks again what was not found a moment ago.
   *
   * @param address of the owner
   * @param answer called once for each session
   * @param none called once instead if there is no process
   * @return how many processes were found, or may be
   */
  default int findOwner(InetSocketAddress address, Consumer<Session> answer, Runnable none) {
    return findPeers(address, answer, none);
  }

  /**
   * Allocates memory of this process that peers can map. All of it has storage behind it when this
   * returns. Any thread but the reactor: blocks while the system finds the storage.
   *
   * @param bytes its size
   * @return the memory, all zero
   * @throws IOException if there is not so much
   */
  OwnMemory allocateMemory(long bytes) throws IOException;

  /**
   * Lets peers map memory that is there already. Any thread.
   *
   * @param memory of this process; stays valid until what is returned has been closed
   * @return the same memory, as peers reach it over this transport
   * @throws IOException if this transport can share only what it has {@linkplain #allocateMemory
   *     allocated}
   */
  default OwnMemory shareMemory(MemorySegment memory) throws IOException {
    throw new IOException("this transport shares only memory that it has allocated");
  }

  /**
   * How much could be allocated now, so that a caller that needs many pieces begins with none if
   * there is no room for all. Any thread but the reactor.
   *
   * @return bytes; other processes may take them at any moment
   * @throws IOException if that can not be known
   */
  default long memoryLeft() throws IOException {
    return Long.MAX_VALUE;
  }

  /**
   * Maps memory of a peer. Called on the reactor.
   *
   * @param owner the session with the peer
   * @param descriptor what the peer's {@link OwnMemory#describe} said: hostile input
   * @param bytes the size that the peer has said
   * @param writable whether stores are allowed
   * @param arena the memory is mapped until it is closed
   * @return the memory; a peer may truncate it, and then an access is an {@link InternalError}, see
   *     {@link MemoryFaults}
   * @throws IOException the descriptor is nonsense, or there is no such memory any more
   */
  PeerMemory mapMemory(
      Session owner, ByteBuffer descriptor, long bytes, boolean writable, Arena arena)
      throws IOException;

  /**
   * Makes a queue for memory that this endpoint maps and that has no {@link PeerMemory#direct}.
   *
   * @param depth how many operations may be posted and not polled
   * @return to be closed
   */
  default MemoryQueue memoryQueue(int depth) {
    throw new IllegalStateException("memory of this transport is reached by loads and stores");
  }
}
