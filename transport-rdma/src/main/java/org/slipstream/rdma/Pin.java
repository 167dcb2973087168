package org.slipstream.rdma;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.verbs.LocalMemory;

/**
 * A range of the program's memory that is registered, or may be, and some of the buffers through
 * which it was seen. With the lock of the cache held.
 *
 * <p>An address alone says nothing: memory that was freed and given to another buffer has the old
 * address but other pages, and the device would read the old ones. Two buffers are views of one
 * allocation if the scopes of their segments are equal, <em>while both of them exist</em>: for
 * direct buffers the JDK compares the buffer that owns the memory, which every view holds. So a
 * range is found through another view only as long as one of those through which it was seen is
 * there; when all are gone, it is as good as freed.
 */
final class Pin {

  /** Buffers that are remembered; programs that make one for each write have many. */
  private static final int VIEWS = 4;

  /** What the memory of a direct buffer belongs to; also what has no owner. */
  private static final Class<?> HEAP = Arena.global().scope().getClass();

  /** What frees memory when no view of it is left. */
  private static final Class<?> AUTOMATIC = Arena.ofAuto().scope().getClass();

  /** What frees the memory, as far as that is known. */
  enum Owner {
    /** Another buffer, or nothing as long as there is a view. */
    BUFFER,
    /** A caller of malloc: no two views of it can be told from those of two allocations. */
    UNKNOWN,
    /** An arena that may be closed at any moment, also while the device reads. */
    ARENA;

    static Owner of(MemorySegment.Scope scope) {
      if (scope.equals(Arena.global().scope())) {
        return UNKNOWN;
      }
      return HEAP.isInstance(scope) || AUTOMATIC.isInstance(scope) ? BUFFER : ARENA;
    }
  }

  /** What is known of it. */
  enum State {
    SEEN,
    ASKED,
    READY,
    REFUSED,
    /** Registered no more, or only because the device still reads it. */
    OUT
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // an array of references
  private final @Nullable Reference<ByteBuffer>[] views = new Reference[VIEWS];

  private final Owner owner;
  private int next;
  final long address;
  final long bytes;
  State state;
  @Nullable LocalMemory region;
  long lastUse;
  long lastRequest;

  Pin(MemorySegment memory, Owner owner) {
    this.address = memory.address();
    this.bytes = memory.byteSize();
    this.owner = owner;
    this.state = owner == Owner.ARENA ? State.REFUSED : State.SEEN;
  }

  boolean isArena() {
    return owner == Owner.ARENA;
  }

  int localKey() {
    LocalMemory r = region;
    return r == null ? 0 : r.localKey();
  }

  /** Whether all bytes of another view of the same allocation lie in this. */
  boolean covers(MemorySegment memory) {
    return owner == Owner.BUFFER
        && memory.address() >= address
        && memory.address() + memory.byteSize() <= address + bytes
        && isOf(memory.scope());
  }

  private boolean isOf(MemorySegment.Scope scope) {
    ByteBuffer view = anyView();
    return view != null && MemorySegment.ofBuffer(view).scope().equals(scope);
  }

  /** A buffer that holds the memory; null if none is left. */
  @Nullable ByteBuffer anyView() {
    for (Reference<ByteBuffer> each : views) {
      ByteBuffer view = each == null ? null : each.get();
      if (view != null) {
        return view;
      }
    }
    return null;
  }

  boolean isAbandoned() {
    for (Reference<ByteBuffer> each : views) {
      if (each != null && !each.refersTo(null)) {
        return false;
      }
    }
    return true;
  }

  /** Remembers a buffer in place of one that is gone, or of the one that came first. */
  void seenThrough(Reference<ByteBuffer> view) {
    int place = next;
    for (int i = 0; i < VIEWS; i++) {
      Reference<ByteBuffer> each = views[i];
      if (view.equals(each)) {
        return;
      }
      if (each == null || each.refersTo(null)) {
        place = i;
      }
    }
    views[place] = view;
    next = (next + 1) % VIEWS;
  }

  /** What goes first has the least: what can be used no more. */
  long use() {
    return isAbandoned() ? 0 : lastUse;
  }
}
