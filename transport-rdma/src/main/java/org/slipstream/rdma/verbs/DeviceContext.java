package org.slipstream.rdma.verbs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An open device. rdma_cm opens each device once for the process and keeps it open; this is a view
 * of such a context and closes nothing.
 */
@SuppressWarnings("restricted") // a context has the size that its header says
public final class DeviceContext {
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
   * libibverbs.
   *
   * @return the library, or why there is none
   */
  public static NativeLibrary library() {
    return Verbs.LIBRARY;
  }

  private MemorySegment function(int offset) {
    return pointer.get(ValueLayout.ADDRESS, offset);
  }

  /**
   * Makes a domain: objects of two domains can not be used together.
   *
   * @return the domain
   * @throws IOException if the device has no more
   */
  public ProtectionDomain protectionDomain() throws IOException {
    return new ProtectionDomain(this);
  }

  /**
   * What names the device in this process.
   *
   * @return the address of the context
   */
  public long address() {
    return pointer.address();
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
