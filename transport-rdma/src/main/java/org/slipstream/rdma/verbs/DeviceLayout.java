package org.slipstream.rdma.verbs;

/**
 * What is used of {@code struct ibv_device_attr} and {@code struct ibv_port_attr}.
 *
 * <pre>
 *   ibv_device_attr                              ibv_port_attr
 *    64       108    112        132     227       0     4        8          12          46         52
 *   +--------+-- - -+------+---+-------+-----+   +-----+--------+----------+-------+-- -+---------+
 *   | guid   |max_qp|qp_wr |   |max_cqe|ports|   |state|max mtu |active mtu| gids  |    |link layer
 *   +--------+-- - -+------+---+-------+-----+   +-----+--------+----------+-------+-- -+---------+
 * </pre>
 */
final class DeviceLayout {
  static final int ATTRIBUTES_BYTES = 232;
  static final int MAX_QUEUE_PAIRS = 108;
  static final int MAX_WORK_REQUESTS = 112;
  static final int MAX_COMPLETIONS = 132;
  static final int MAX_READS = 144;
  static final int PORTS = 227;

  static final int PORT_BYTES = 52;
  static final int PORT_STATE = 0;
  static final int PORT_ACTIVE_MTU = 8;
  static final int PORT_GIDS = 12;
  static final int PORT_LINK_LAYER = 46;

  static final int STATE_ACTIVE = 4;
  static final int LINK_LAYER_INFINIBAND = 1;
  static final int LINK_LAYER_ETHERNET = 2;

  /** {@code struct ibv_device}. */
  static final int TRANSPORT = 20;

  static final int DEVICE_BYTES = 664;
  static final int TRANSPORT_IWARP = 1;

  static final int GID_BYTES = 16;

  private DeviceLayout() {}
}
