package org.slipstream.rdma.cm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.verbs.ErrorNumbers;
import org.slipstream.rdma.verbs.NativeCallException;
import org.slipstream.rdma.verbs.Poller;
import org.slipstream.transport.MemoryShortage;

/** Where rdma_cm reports. Event thread only. */
@SuppressWarnings("restricted") // events have the size that their header says
public final class EventChannel implements AutoCloseable {
  private final MemorySegment pointer;
  private final int descriptor;
  private boolean closed;

  /**
   * Opens a channel.
   *
   * @throws IOException if there is no /dev/infiniband/rdma_cm, or no permission to use it
   */
  public EventChannel() throws IOException {
    pointer = ConnectionManager.load().createChannel.pointerOf().reinterpret(JAVA_INT.byteSize());
    descriptor = pointer.get(JAVA_INT, 0);
    try {
      Poller.neverWait(descriptor);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /**
   * For poll(2).
   *
   * @return readable when there may be something for {@link #take}
   */
  public int descriptor() {
    return descriptor;
  }

  MemorySegment pointer() {
    return pointer;
  }

  /**
   * Takes an event, and never waits: librdmacm throws some events away by itself, and asks for the
   * next one.
   *
   * @return the event, acknowledged; null if there is none
   * @throws IOException if the channel is broken
   */
  public @Nullable CmEvent take() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(ADDRESS);
      try {
        ConnectionManager.load().getEvent.check(pointer, out);
      } catch (NativeCallException e) {
        if (e.errno() == ErrorNumbers.EAGAIN) {
          return null;
        }
        throw e;
      }
      return acknowledged(out.get(JAVA_LONG, 0));
    }
  }

  /** An event without it would keep the thread that destroys its identifier for ever. */
  private static CmEvent acknowledged(long address) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        MemorySegment event = MemorySegment.ofAddress(address).reinterpret(CmEventLayout.BYTES);
        CmEvent copy = copy(event);
        ConnectionManager.load().acknowledgeEvent.check(event);
        return copy;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  private static CmEvent copy(MemorySegment e) {
    CmEvent.Type type = CmEvent.Type.of(e.get(JAVA_INT, CmEventLayout.TYPE));
    int length = Byte.toUnsignedInt(e.get(JAVA_BYTE, CmEventLayout.PRIVATE_DATA_LENGTH));
    MemorySegment data = e.get(ADDRESS, CmEventLayout.PRIVATE_DATA);
    byte[] copy =
        length == 0 || data.address() == 0 || !carriesData(type)
            ? new byte[0]
            : data.reinterpret(length).toArray(JAVA_BYTE);
    return new CmEvent(
        type,
        e.get(ADDRESS, CmEventLayout.ID).address(),
        e.get(JAVA_INT, CmEventLayout.STATUS),
        copy);
  }

  /** The union in the event holds connection parameters only then. */
  private static boolean carriesData(CmEvent.Type type) {
    return switch (type) {
      case CONNECT_REQUEST, CONNECT_RESPONSE, ESTABLISHED, REJECTED -> true;
      default -> false;
    };
  }

  /** Idempotent; after all identifiers. */
  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      ConnectionManager.load().destroyChannel.run(pointer);
    }
  }
}
