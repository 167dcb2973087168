package org.slipstream.rdma.verbs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.slipstream.transport.MemoryShortage;

/** A file descriptor that is readable when a completion queue has news. Event thread only. */
@SuppressWarnings("restricted") // a channel has the size that its header says
public final class CompletionChannel extends Resource {
  final MemorySegment pointer;
  private final int descriptor;

  /**
   * Makes a channel.
   *
   * @param context the device of the queues
   * @throws IOException without descriptors, for example
   */
  public CompletionChannel(DeviceContext context) throws IOException {
    this(
        Verbs.load()
            .createChannel
            .pointerOf(context.pointer)
            .reinterpret(MemoryRegionLayout.CHANNEL_BYTES));
  }

  /** Wraps {@code struct ibv_comp_channel *}. */
  CompletionChannel(MemorySegment pointer) {
    this.pointer = pointer;
    descriptor = pointer.get(ValueLayout.JAVA_INT, MemoryRegionLayout.CHANNEL_DESCRIPTOR);
  }

  /**
   * For poll(2).
   *
   * @return readable when there may be something for {@link #takeEvent}
   */
  public int descriptor() {
    return descriptor;
  }

  /**
   * Takes one event, and never waits: the kernel takes events back when their queue is destroyed,
   * which may have happened since the descriptor was found to be readable.
   *
   * @return {@link CompletionQueue#address} of the queue that has news, which says nothing more
   *     before it is asked to; 0 if there is no event
   * @throws IOException if the device is gone
   */
  public long takeEvent() throws IOException {
    if (!Poller.isReadable(descriptor)) {
      return 0;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment queue = arena.allocate(ValueLayout.ADDRESS);
      MemorySegment context = arena.allocate(ValueLayout.ADDRESS);
      Verbs.load().getEvent.check(pointer, queue, context);
      long found = queue.get(ValueLayout.JAVA_LONG, 0);
      Verbs.load().acknowledgeEvents.run(segment(found), 1); // or the queue is never destroyed
      return found;
    }
  }

  /** The event comes once. */
  private static MemorySegment segment(long address) {
    for (int attempt = 1; ; attempt++) {
      try {
        return MemorySegment.ofAddress(address);
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  @Override
  void destroy() throws IOException {
    Verbs.load().destroyChannel.release(pointer);
  }
}
