package org.slipstream.transport;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * What an endpoint does for one-sided memory, beside what it does for streams: memory of this
 * process that others map, and memory of others that this one maps. {@link
 * Transport#sharesMemory()} says which endpoints can.
 *
 * <p>The frames by which two processes agree on a mapping are the business of the module {@code
 * memory}, as the frames of streams are the core's.
 */
public interface MemoryEndpoint extends Endpoint {

  /** The longest {@link OwnMemory#descriptor}, in bytes. */
  int MAX_DESCRIPTOR_BYTES = 32;

  /**
   * Lets other processes find this one as an owner of memory.
   *
   * @param owner a name of this process: letters, digits, dots and hyphens, 100 at most
   * @return closed when the name goes
   * @throws IOException if processes can not meet; the message says what to do
   */
  Closeable announceOwner(String owner) throws IOException;

  /**
   * Finds the processes that have announced themselves by a name and hands out a session with each.
   * Called on the reactor; answers on the reactor, later than this returns or before.
   *
   * @param owner the name
   * @param answer called once for each process with which a session was made
   * @param lost called once for each process that was found and did not answer
   * @return how many processes were found: so often one of the two is called
   */
  int findOwner(String owner, Consumer<Session> answer, Runnable lost);

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
   * Maps memory of a peer. Called on the reactor.
   *
   * @param owner the session with the peer
   * @param descriptor what the peer's {@link OwnMemory#descriptor} said: hostile input
   * @param bytes the size that the peer has said
   * @param writable whether stores are allowed
   * @param arena the memory is mapped until it is closed
   * @return the memory; a peer may truncate it, and then an access is an {@link InternalError}, see
   *     {@link MemoryFaults}
   * @throws IOException the descriptor is nonsense, or there is no such memory any more
   */
  MemorySegment mapMemory(
      Session owner, ByteBuffer descriptor, long bytes, boolean writable, Arena arena)
      throws IOException;
}
