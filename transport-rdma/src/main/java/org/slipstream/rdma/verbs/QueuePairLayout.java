package org.slipstream.rdma.verbs;

/**
 * {@code struct ibv_qp_init_attr}, and what is used of {@code struct ibv_qp} and of {@code struct
 * ibv_qp_attr}.
 *
 * <pre>
 *   ibv_qp_init_attr
 *    0        8        16       24       32      36      40      44      48       52    56       64
 *   +--------+--------+--------+--------+-------+-------+-------+-------+--------+-----+--------+
 *   |context |send_cq |recv_cq |  srq   |send wr|recv wr|send sg|recv sg| inline |type |sig_all |
 *   +--------+--------+--------+--------+-------+-------+-------+-------+--------+-----+--------+
 *
 *   ibv_qp: qp_num at 52.   ibv_qp_attr: qp_state at 0, path_mtu at 8.
 * </pre>
 */
final class QueuePairLayout {
  static final int INIT_BYTES = 64;
  static final int INIT_SEND_QUEUE = 8;
  static final int INIT_RECEIVE_QUEUE = 16;
  static final int INIT_MAX_SEND = 32;
  static final int INIT_MAX_RECEIVE = 36;
  static final int INIT_MAX_SEND_GATHER = 40;
  static final int INIT_MAX_RECEIVE_SCATTER = 44;
  static final int INIT_MAX_INLINE = 48;
  static final int INIT_TYPE = 52;
  static final int TYPE_RELIABLE_CONNECTED = 2;

  static final int BYTES = 160;
  static final int NUMBER = 52;

  static final int ATTRIBUTES_BYTES = 144;
  static final int ATTRIBUTES_STATE = 0;

  /** Kernels may ask for Ethernet addresses, which libibverbs does not know. */
  static final int MASK_OF_KERNEL = 0xE00000;

  static final int ATTRIBUTES_PATH_MTU = 8;
  static final int MTU_4096 = 5;
  static final int STATE_INITIALISED = 1;
  static final int STATE_READY_TO_RECEIVE = 2;
  static final int STATE_READY_TO_SEND = 3;

  private QueuePairLayout() {}
}
