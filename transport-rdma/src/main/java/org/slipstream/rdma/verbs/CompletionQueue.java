package org.slipstream.rdma.verbs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Where finished work requests are found. Made and closed by the event thread; {@link #poll} and
 * what follows it by the holder of the caller's lock.
 */
public final class CompletionQueue extends Resource implements Completions {
  private static final int BATCH = 16;

  final MemorySegment pointer;
  private final DeviceContext context;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment batch;

  /**
   * Makes a queue.
   *
   * @param context the device
   * @param entries how many completions it holds at least
   * @param channel told of news after {@link #requestNotify}
   * @throws IOException if the device has no more
   */
  public CompletionQueue(DeviceContext context, int entries, CompletionChannel channel)
      throws IOException {
    this(context, entries, channel.pointer);
  }

  /**
   * Makes a queue that is only polled.
   *
   * @param context the device
   * @param entries how many completions it holds at least
   * @throws IOException if the device has no more
   */
  public CompletionQueue(DeviceContext context, int entries) throws IOException {
    this(context, entries, MemorySegment.NULL);
  }

  private CompletionQueue(DeviceContext context, int entries, MemorySegment channel)
      throws IOException {
    this.context = context;
    try {
      batch = arena.allocate((long) BATCH * WorkCompletionLayout.BYTES, 8);
      pointer =
          Verbs.load()
              .createCompletionQueue
              .pointerOf(context.pointer, entries, MemorySegment.NULL, channel, 0);
    } catch (IOException | RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /**
   * What names it in events.
   *
   * @return the address of the C object
   */
  public long address() {
    return pointer.address();
  }

  @Override
  public int poll() {
    return FastPath.poll(context.poll, pointer, BATCH, batch);
  }

  @Override
  public void requestNotify() {
    FastPath.requestNotify(context.requestNotify, pointer);
  }

  @Override
  public long id(int i) {
    return batch.get(ValueLayout.JAVA_LONG, at(i) + WorkCompletionLayout.ID);
  }

  @Override
  public boolean isSuccess(int i) {
    return statusCode(i) == WorkCompletionLayout.STATUS_SUCCESS;
  }

  @Override
  public boolean isRefused(int i) {
    int code = statusCode(i);
    return code == WorkCompletionLayout.STATUS_REMOTE_ACCESS
        || code == WorkCompletionLayout.STATUS_REMOTE_INVALID_REQUEST;
  }

  private int statusCode(int i) {
    return batch.get(ValueLayout.JAVA_INT, at(i) + WorkCompletionLayout.STATUS);
  }

  @Override
  public String status(int i) {
    try {
      return Verbs.string(Verbs.load().statusName.pointerOf(statusCode(i)));
    } catch (IOException e) {
      return "status " + statusCode(i);
    }
  }

  /**
   * Bytes received.
   *
   * @param i which of the last {@link #poll}; a receive
   * @return the length of the message
   */
  public int length(int i) {
    return batch.get(ValueLayout.JAVA_INT, at(i) + WorkCompletionLayout.LENGTH);
  }

  private static long at(int i) {
    return (long) i * WorkCompletionLayout.BYTES;
  }

  @Override
  void destroy() throws IOException {
    try {
      Verbs.load().destroyCompletionQueue.release(pointer);
    } finally {
      arena.close();
    }
  }
}
