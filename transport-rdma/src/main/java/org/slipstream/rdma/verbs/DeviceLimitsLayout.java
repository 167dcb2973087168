package org.slipstream.rdma.verbs;

/**
 * What is used of {@code struct ibv_device_attr}.
 *
 * <pre>
 *    0 - - - 144              156                   164          168 - - 232
 *   +-- - --+----------------+-- --+---------------+-- --+------+-- - --+
 *   |       |max_qp_rd_atom  |     |qp_init_rd_atom|     |atomic|       |
 *   +-- - --+----------------+-- --+---------------+-- --+------+-- - --+
 * </pre>
 */
final class DeviceLimitsLayout {
  static final int BYTES = 232;
  static final int READS_ANSWERED = 144;
  static final int READS_ASKED = 156;
  static final int ATOMICS = 164;
  static final int NO_ATOMICS = 0;

  private DeviceLimitsLayout() {}
}
