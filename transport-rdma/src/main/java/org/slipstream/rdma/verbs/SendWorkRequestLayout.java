package org.slipstream.rdma.verbs;

/**
 * {@code struct ibv_send_wr}, as far as it is used, and the one {@code struct ibv_sge} behind it.
 *
 * <pre>
 *    0        8        16       24      28      32      36      40             48     56
 *   +--------+--------+--------+-------+-------+-------+-------+--------------+------+-- - -
 *   | wr_id  |  next  |sg_list |num_sge|opcode | flags |  imm  | remote addr  | rkey |
 *   +--------+--------+--------+-------+-------+-------+-------+--------------+------+-- - -
 *
 *   atomic:                                        40             48          56     64     68
 *                                                    +--------------+-----------+------+------+-- - -
 *                                                    | remote addr  |compare/add| swap | rkey |
 *                                                    +--------------+-----------+------+------+-- - -
 *
 *    128      136     140    144
 *   +--------+-------+------+
 *   |  addr  |length | lkey |
 *   +--------+-------+------+
 * </pre>
 */
final class SendWorkRequestLayout {
  static final int BYTES = 128;
  static final int ID = 0;
  static final int NEXT = 8;
  static final int GATHER_LIST = 16;
  static final int GATHER_COUNT = 24;
  static final int OPCODE = 28;
  static final int FLAGS = 32;
  static final int IMMEDIATE = 36;
  static final int REMOTE_ADDRESS = 40;
  static final int REMOTE_KEY = 48;

  // Of an atomic operation: the address is at the same place, the key is not.
  static final int COMPARE_OR_ADD = 48;
  static final int SWAP = 56;
  static final int ATOMIC_KEY = 64;

  static final int OPCODE_RDMA_WRITE = 0;
  static final int OPCODE_SEND = 2;
  static final int OPCODE_RDMA_READ = 4;
  static final int OPCODE_COMPARE_AND_SWAP = 5;
  static final int OPCODE_FETCH_AND_ADD = 6;

  static final int FLAG_FENCE = 1;
  static final int FLAG_SIGNALED = 2;
  static final int FLAG_INLINE = 8;

  /** Where we put the gather entry. */
  static final int GATHER = BYTES;

  /** A request and its gather entry. */
  static final int BYTES_WITH_GATHER = BYTES + GatherLayout.BYTES;

  private SendWorkRequestLayout() {}
}
