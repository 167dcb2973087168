package org.slipstream.rdma.cm;

/**
 * What is used of {@code struct rdma_cm_id}.
 *
 * <pre>
 *    0        8        16       24     32         160       288        320    322      348      349  416
 *   +--------+--------+--------+------+-- - - -- -+-- - - --+-- - - - -+------+-- - - -+--------+-- --+
 *   | verbs  |channel |context |  qp  |src addr   |dst addr |source GID|P_Key |        |port num|     |
 *   +--------+--------+--------+------+-- - - -- -+-- - - --+-- - - - -+------+-- - - -+--------+-- --+
 * </pre>
 */
final class CmIdLayout {
  static final int BYTES = 416;
  static final int VERBS = 0;
  static final int QUEUE_PAIR = 24;
  static final int SOURCE_ADDRESS = 32;
  static final int DESTINATION_ADDRESS = 160;
  static final int SOURCE_GID = 288;
  static final int PARTITION_KEY = 320;
  static final int PORT_NUMBER = 348;

  static final int PORT_SPACE_TCP = 0x0106;
  static final int OPTION_LEVEL_ID = 0;
  static final int OPTION_TRAFFIC_CLASS = 0;
  static final int OPTION_ACK_TIMEOUT = 3;

  private CmIdLayout() {}
}
