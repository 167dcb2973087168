package org.slipstream.rdma.verbs;

/**
 * {@code struct ibv_sge}: a piece of registered memory.
 *
 * <pre>
 *    0        8       12     16
 *   +--------+-------+------+
 *   |  addr  |length | lkey |
 *   +--------+-------+------+
 * </pre>
 */
final class GatherLayout {
  static final int BYTES = 16;
  static final int ADDRESS = 0;
  static final int LENGTH = 8;
  static final int LOCAL_KEY = 12;

  private GatherLayout() {}
}
