package org.slipstream.rdma.verbs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryShortage;

/**
 * An open device. rdma_cm opens each device once for the process and keeps it open; this is a view
 * of such a context and closes nothing.
 */
@SuppressWarnings("restricted") // a context has the size that its header says
public final class DeviceContext {
  private static final Object TAKING = new Object();

  final MemorySegment pointer;
  final MemorySegment poll;
  final MemorySegment requestNotify;
  final MemorySegment postSend;
  final MemorySegment postReceive;

  /**
   * Wraps a context.
   *
   * @param pointer {@code struct ibv_context *}, open for as long as this is used
   */
  public DeviceContext(MemorySegment pointer) {
    this.pointer = pointer.reinterpret(ContextLayout.BYTES);
    this.poll = function(ContextLayout.POLL);
    this.requestNotify = function(ContextLayout.REQUEST_NOTIFY);
    this.postSend = function(ContextLayout.POST_SEND);
    this.postReceive = function(ContextLayout.POST_RECEIVE);
  }

  /**
   * Why libibverbs can not be used here.
   *
   * @return one sentence; empty if it can
   */
  public static String failure() {
    return Verbs.failure();
  }

  private MemorySegment function(int offset) {
    return pointer.get(ValueLayout.ADDRESS, offset);
  }

  /**
   * What names the device in this process.
   *
   * @return the address of the context
   */
  public long address() {
    return pointer.address();
  }

  /**
   * For poll(2).
   *
   * @return readable when there may be something for {@link #takeEvent}
   */
  public int eventDescriptor() {
    return pointer.get(ValueLayout.JAVA_INT, ContextLayout.ASYNC_DESCRIPTOR);
  }

  /**
   * Takes what the device says of itself, and never waits: each context is open once in a process,
   * and another event thread of it may have been faster, or have destroyed what the event was
   * about. Event threads only.
   *
   * @return the event, acknowledged; null if there is none
   * @throws IOException if the device is gone
   */
  public @Nullable DeviceEvent takeEvent() throws IOException {
    synchronized (TAKING) {
      return Poller.isReadable(eventDescriptor()) ? readEvent() : null;
    }
  }

  private @Nullable DeviceEvent readEvent() throws IOException {
    Poller.neverWait(eventDescriptor());
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment event = arena.allocate(AsyncEventLayout.BYTES, 8);
      Verbs.load().getAsyncEvent.check(pointer, event);
      DeviceEvent copy = copy(event);
      Verbs.load().acknowledgeAsyncEvent.run(event); // or what it is about is not destroyed
      return copy;
    } catch (NativeCallException e) {
      if (e.errno() == ErrorNumbers.EAGAIN) {
        return null;
      }
      throw e;
    }
  }

  /** It comes once. */
  private static DeviceEvent copy(MemorySegment event) {
    int type = event.get(ValueLayout.JAVA_INT, AsyncEventLayout.TYPE);
    int port = event.get(ValueLayout.JAVA_INT, AsyncEventLayout.ELEMENT);
    for (int attempt = 1; ; attempt++) {
      try {
        return new DeviceEvent(DeviceEvent.Type.of(type), port);
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  /**
   * Whether it speaks iWARP: connections are TCP's, with the kernel's port numbers, and a read
   * needs memory that the peer may write.
   *
   * @return false for InfiniBand and RoCE
   */
  public boolean isIwarp() {
    MemorySegment device = pointer.get(ValueLayout.ADDRESS, ContextLayout.DEVICE);
    return device
            .reinterpret(ContextLayout.DEVICE_BYTES)
            .get(ValueLayout.JAVA_INT, ContextLayout.DEVICE_TRANSPORT)
        == ContextLayout.TRANSPORT_IWARP;
  }

  /**
   * Asks for what the device can do at once. May sleep.
   *
   * @return its limits
   * @throws IOException if the device is gone
   */
  public DeviceLimits limits() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment a = arena.allocate(DeviceLimitsLayout.BYTES, 8);
      Verbs.load().queryDevice.check(pointer, a);
      return new DeviceLimits(
          a.get(ValueLayout.JAVA_INT, DeviceLimitsLayout.READS_ANSWERED),
          a.get(ValueLayout.JAVA_INT, DeviceLimitsLayout.READS_ASKED),
          a.get(ValueLayout.JAVA_INT, DeviceLimitsLayout.ATOMICS) != DeviceLimitsLayout.NO_ATOMICS);
    }
  }

  /**
   * By which files the process holds the device. Asked for while the context is open.
   *
   * @return the files
   */
  public HeldDevice held() {
    return new HeldDevice(
        pointer.get(ValueLayout.JAVA_INT, ContextLayout.COMMAND_DESCRIPTOR), eventDescriptor());
  }

  @Override
  public String toString() {
    try {
      MemorySegment device = pointer.get(ValueLayout.ADDRESS, ContextLayout.DEVICE);
      return Verbs.string(Verbs.load().getDeviceName.pointerOf(device));
    } catch (IOException e) {
      return "?";
    }
  }
}
