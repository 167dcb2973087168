package org.slipstream.rdma.cm;

import org.slipstream.rdma.verbs.Call;
import org.slipstream.rdma.verbs.NativeLibrary;

/** The functions of librdmacm. Made once, after {@link #LIBRARY} turned out to be there. */
public final class ConnectionManager {

  /** The library, or why there is none. */
  public static final NativeLibrary LIBRARY = NativeLibrary.open("librdmacm.so.1", "librdmacm1");

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
  final Call initAttributes = Call.of(LIBRARY, "rdma_init_qp_attr");
  final Call establish = Call.of(LIBRARY, "rdma_establish");
  final Call setOption = Call.of(LIBRARY, "rdma_set_option");

  private ConnectionManager() {}

  private static final class Holder {
    static final ConnectionManager LOADED = new ConnectionManager();
  }

  /** Only if {@link #LIBRARY} is open. */
  static ConnectionManager load() {
    return Holder.LOADED;
  }
}
