package org.slipstream.rdma.verbs;

import java.lang.foreign.MemorySegment;

/** The functions of libibverbs, looked for once. */
final class Verbs {
  private static final NativeLibrary LIBRARY = NativeLibrary.open("libibverbs.so.1", "libibverbs1");

  final Call queryDevice = Call.of(LIBRARY, "ibv_query_device");
  final Call getDeviceName = Call.of(LIBRARY, "ibv_get_device_name");
  final Call allocProtectionDomain = Call.of(LIBRARY, "ibv_alloc_pd");
  final Call freeProtectionDomain = Call.of(LIBRARY, "ibv_dealloc_pd");
  final Call registerMemory = Call.of(LIBRARY, "ibv_reg_mr");
  final Call deregisterMemory = Call.of(LIBRARY, "ibv_dereg_mr");
  final Call createChannel = Call.of(LIBRARY, "ibv_create_comp_channel");
  final Call destroyChannel = Call.of(LIBRARY, "ibv_destroy_comp_channel");
  final Call createCompletionQueue = Call.of(LIBRARY, "ibv_create_cq");
  final Call destroyCompletionQueue = Call.of(LIBRARY, "ibv_destroy_cq");
  final Call getEvent = Call.of(LIBRARY, "ibv_get_cq_event");
  final Call acknowledgeEvents = Call.of(LIBRARY, "ibv_ack_cq_events");
  final Call getAsyncEvent = Call.of(LIBRARY, "ibv_get_async_event");
  final Call acknowledgeAsyncEvent = Call.of(LIBRARY, "ibv_ack_async_event");
  final Call modifyQueuePair = Call.of(LIBRARY, "ibv_modify_qp");
  final Call statusName = Call.of(LIBRARY, "ibv_wc_status_str");

  private Verbs() {}

  private static final class Holder {
    static final Functions<Verbs> LOADED = Functions.of(Verbs::new);
  }

  /** Only if there is no {@link #failure}. */
  static Verbs load() {
    return Holder.LOADED.get();
  }

  /** Why libibverbs can not be used; empty if it can. */
  static String failure() {
    return Holder.LOADED.failure();
  }

  /** A string of the library's own. */
  @SuppressWarnings("restricted") // the library says where it ends
  static String string(MemorySegment pointer) {
    return pointer.reinterpret(256).getString(0);
  }
}
