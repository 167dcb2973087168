package org.slipstream.rdma.cm;

import org.slipstream.rdma.verbs.Call;
import org.slipstream.rdma.verbs.Functions;
import org.slipstream.rdma.verbs.NativeLibrary;

/** The functions of librdmacm, looked for once. */
public final class ConnectionManager {
  private static final NativeLibrary LIBRARY = NativeLibrary.open("librdmacm.so.1", "librdmacm1");

  final Call createChannel = Call.of(LIBRARY, "rdma_create_event_channel");
  final Call destroyChannel = Call.of(LIBRARY, "rdma_destroy_event_channel");
  final Call getEvent = Call.of(LIBRARY, "rdma_get_cm_event");
  final Call acknowledgeEvent = Call.of(LIBRARY, "rdma_ack_cm_event");
  final Call createId = Call.of(LIBRARY, "rdma_create_id");
  final Call destroyId = Call.of(LIBRARY, "rdma_destroy_id");
  final Call bind = Call.of(LIBRARY, "rdma_bind_addr");
  final Call listen = Call.of(LIBRARY, "rdma_listen");
  final Call resolveAddress = Call.of(LIBRARY, "rdma_resolve_addr");
  final Call resolveRoute = Call.of(LIBRARY, "rdma_resolve_route");
  final Call createQueuePair = Call.of(LIBRARY, "rdma_create_qp");
  final Call destroyQueuePair = Call.of(LIBRARY, "rdma_destroy_qp");
  final Call connect = Call.of(LIBRARY, "rdma_connect");
  final Call accept = Call.of(LIBRARY, "rdma_accept");
  final Call reject = Call.of(LIBRARY, "rdma_reject");
  final Call disconnect = Call.of(LIBRARY, "rdma_disconnect");
  final Call setOption = Call.of(LIBRARY, "rdma_set_option");

  // Since version 23 (2019); only for a limit of the path MTU.
  final Call initAttributes = Call.ofNewer(LIBRARY, "rdma_init_qp_attr");
  final Call establish = Call.ofNewer(LIBRARY, "rdma_establish");

  private ConnectionManager() {}

  private static final class Holder {
    static final Functions<ConnectionManager> LOADED = Functions.of(ConnectionManager::new);
  }

  /** Only if there is no {@link #failure}. */
  static ConnectionManager load() {
    return Holder.LOADED.get();
  }

  /**
   * Why librdmacm can not be used here.
   *
   * @return one sentence; empty if it can
   */
  public static String failure() {
    return Holder.LOADED.failure();
  }

  /**
   * Whether {@link CmId#limitPathMtu} works.
   *
   * @return false with a library that is too old; only if there is no {@link #failure}
   */
  public static boolean canLimitPathMtu() {
    return load().initAttributes.isThere() && load().establish.isThere();
  }
}
