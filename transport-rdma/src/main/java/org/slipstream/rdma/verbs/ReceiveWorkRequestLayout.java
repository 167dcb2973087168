package org.slipstream.rdma.verbs;

/**
 * {@code struct ibv_recv_wr}, and the one {@code struct ibv_sge} that we put behind it.
 *
 * <pre>
 *    0        8        16       24      28      32       40      44     48
 *   +--------+--------+--------+-------+-------+--------+-------+------+
 *   | wr_id  |  next  |sg_list |num_sge|       |  addr  |length | lkey |
 *   +--------+--------+--------+-------+-------+--------+-------+------+
 * </pre>
 */
final class ReceiveWorkRequestLayout {
  static final int BYTES = 32;
  static final int ID = 0;
  static final int NEXT = 8;
  static final int SCATTER_LIST = 16;
  static final int SCATTER_COUNT = 24;

  /** Where we put the scatter entry. */
  static final int SCATTER = BYTES;

  /** A request and its scatter entry. */
  static final int BYTES_WITH_SCATTER = BYTES + GatherLayout.BYTES;

  private ReceiveWorkRequestLayout() {}
}
