package org.slipstream.rdma.verbs;

/**
 * What is used of {@code struct ibv_mr} and {@code struct ibv_comp_channel}.
 *
 * <pre>
 *   ibv_mr                                         ibv_comp_channel
 *    0         16       24       32    36    40  48   0         8   12
 *   +-- - - --+--------+--------+-----+-----+-----+  +--------+----+
 *   |         |  addr  | length |     |lkey |rkey |  |context | fd |
 *   +-- - - --+--------+--------+-----+-----+-----+  +--------+----+
 * </pre>
 */
final class MemoryRegionLayout {
  static final int BYTES = 48;
  static final int LOCAL_KEY = 36;
  static final int REMOTE_KEY = 40;

  static final int ACCESS_LOCAL_WRITE = 1;
  static final int ACCESS_REMOTE_WRITE = 2;
  static final int ACCESS_REMOTE_READ = 4;
  static final int ACCESS_REMOTE_ATOMIC = 8;

  static final int CHANNEL_BYTES = 16;
  static final int CHANNEL_DESCRIPTOR = 8;

  private MemoryRegionLayout() {}
}
