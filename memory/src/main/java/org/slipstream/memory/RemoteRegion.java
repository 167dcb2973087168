package org.slipstream.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.slipstream.transport.MemoryEndpoint;
import org.slipstream.transport.MemoryOutcome;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.PeerMemory;

/**
 * Memory of another process, mapped into this one until {@link #close}, until the owner revokes it,
 * or until the owner ends. Safe for any thread.
 *
 * <p>It never becomes usable again: a program maps the region anew.
 */
public final class RemoteRegion implements AutoCloseable {
  private final String name;
  private final Owner owner;
  private final int rights;
  private final Access access;

  /** Where there are loads and stores; otherwise {@link MemorySegment#NULL}, never touched. */
  private final MemorySegment memory;

  private final boolean direct;
  private final long size;
  private final Runnable onClose;

  /** Written once, under the monitor, by the first thread that ends it; read by the data path. */
  private volatile Status status = Status.OK;

  /** Guarded by this. */
  private boolean unmapped;

  /**
   * How it is reached.
   *
   * @param endpoint of the transport
   * @param memory as the transport knows it
   * @param arena of what is mapped, to be closed
   */
  record Access(MemoryEndpoint endpoint, PeerMemory memory, Arena arena) {}

  /**
   * Takes over the arena.
   *
   * @param rights as bits
   * @param size bytes
   * @param onClose told when the program has closed it
   */
  RemoteRegion(String name, Owner owner, int rights, long size, Access access, Runnable onClose) {
    this.name = name;
    this.owner = owner;
    this.rights = rights;
    this.access = access;
    MemorySegment loads = access.memory.direct();
    this.direct = loads != null;
    this.memory = Objects.requireNonNullElse(loads, MemorySegment.NULL);
    this.size = size;
    this.onClose = onClose;
  }

  /**
   * Which one.
   *
   * @return the name by which the owner exports it
   */
  public String name() {
    return name;
  }

  /**
   * Whose.
   *
   * @return the owner as it was named to {@link Domain#map}
   */
  public Owner owner() {
    return owner;
  }

  /**
   * How large it is.
   *
   * @return bytes
   */
  public long byteSize() {
    return size;
  }

  /**
   * What this process may do with it.
   *
   * @return the rights of the grant
   */
  public Set<Right> rights() {
    return Right.of(rights);
  }

  /**
   * Whether it can be used.
   *
   * @return {@link Status#OK}, {@link Status#LOST} or {@link Status#REVOKED}
   */
  public Status status() {
    return status;
  }

  /**
   * The memory itself, where the medium gives loads and stores, as shared memory does, and the
   * grant has {@link Right#READ}. Without {@link Right#WRITE} it is read-only. With it, nothing
   * keeps a program from atomic operations, whether or not the grant has {@link Right#ATOMIC}.
   *
   * <p>When the region ends, each access throws {@link IllegalStateException}: "Already closed". If
   * a process truncates the memory (one of the same user can), an access throws {@link
   * InternalError}, at once or a moment later; that holds for {@code get} and {@code set}, for
   * loads and stores of {@link java.lang.invoke.VarHandle}s, and for {@link MemorySegment#copy} and
   * {@link MemorySegment#fill}. It does not hold for an atomic exchange that the JVM still
   * interprets, which ends it: load the word before. The JVM does not promise it for what compiles
   * to other code: {@link MemorySegment#mismatch}, and checksums over a byte buffer of the segment;
   * copy first what a process may take away. A {@link Queue} reports all of these by a {@link
   * Status}.
   *
   * @return empty if there are no loads, or none that are granted
   */
  public Optional<MemorySegment> direct() {
    if ((rights & Right.READ.bit()) == 0 || !isDirect()) {
      return Optional.empty();
    }
    return Optional.of((rights & Right.WRITE.bit()) == 0 ? memory.asReadOnly() : memory);
  }

  /**
   * Unmaps it, as soon as no operation of the JDK uses it. Idempotent. While the heap is full, it
   * is tried again for a second.
   *
   * @throws OutOfMemoryError the heap is full for longer; closed again, it is unmapped
   */
  @Override
  public void close() {
    for (int attempt = 1; ; attempt++) {
      try {
        release();
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  /** As {@link #close}, once: for a caller that tries again what was left out. */
  void release() {
    end(Status.REVOKED);
    onClose.run();
  }

  // -- for the control thread ------------------------------------------------------------------

  /**
   * Ends it: no operation begins any more, and when this returns true none is under way.
   *
   * @return false if an operation of the JDK, a write of it to a file for example, uses the memory
   *     at this moment: to be tried again
   */
  synchronized boolean end(Status why) {
    if (status == Status.OK) {
      status = why;
    }
    if (!unmapped) {
      try {
        access.arena.close();
        unmapped = true;
      } catch (IllegalStateException e) {
        return false;
      }
    }
    return true;
  }

  // -- for the data path -----------------------------------------------------------------------

  boolean isDirect() {
    return direct;
  }

  MemorySegment memory() {
    return memory;
  }

  MemoryEndpoint endpoint() {
    return access.endpoint;
  }

  PeerMemory peerMemory() {
    return access.memory;
  }

  /** What an operation of a transport's queue says to the program. */
  Status statusOf(MemoryOutcome outcome) {
    return switch (outcome) {
      case DONE -> Status.OK;
      case LOST -> ended(Status.LOST);
      case REVOKED -> ended(Status.REVOKED);
    };
  }

  /** Whether an operation may be carried out. */
  Status admits(Right right, long at, long bytes) {
    Status now = status;
    if (now != Status.OK) {
      return now;
    }
    if ((rights & right.bit()) == 0) {
      return Status.DENIED;
    }
    return at < 0 || at > size - bytes ? Status.OUT_OF_RANGE : Status.OK;
  }

  /**
   * An access has failed.
   *
   * @return what has become of the operation
   * @throws IllegalStateException the failure, if it is not the region's: the caller's own memory
   *     is closed
   */
  Status failed(IllegalStateException failure) {
    Status now = status; // before the arena was closed
    if (now == Status.OK) {
      throw failure;
    }
    return now;
  }

  /** The memory is not there any more, although the owner lives. */
  Status faulted() {
    return ended(Status.LOST);
  }

  private synchronized Status ended(Status why) {
    if (status == Status.OK) {
      status = why;
    }
    return status;
  }
}
