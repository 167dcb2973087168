package org.slipstream.rdma.verbs;

/**
 * {@code struct ibv_wc}: what became of a work request.
 *
 * <pre>
 *    0        8       12      16      20       24       28      32      36     40 - - 48
 *   +--------+-------+-------+-------+--------+--------+-------+-------+------+-- - --+
 *   | wr_id  |status |opcode |vendor |byte_len|  imm   |qp_num |src_qp |flags |       |
 *   +--------+-------+-------+-------+--------+--------+-------+-------+------+-- - --+
 * </pre>
 */
final class WorkCompletionLayout {
  static final int BYTES = 48;
  static final int ID = 0;
  static final int STATUS = 8;
  static final int OPCODE = 12;
  static final int LENGTH = 20;
  static final int IMMEDIATE = 24;
  static final int FLAGS = 36;

  static final int STATUS_SUCCESS = 0;
  static final int STATUS_REMOTE_INVALID_REQUEST = 9;
  static final int STATUS_REMOTE_ACCESS = 10;

  private WorkCompletionLayout() {}
}
