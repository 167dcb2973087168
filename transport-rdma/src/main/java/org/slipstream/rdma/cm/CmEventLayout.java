package org.slipstream.rdma.cm;

/**
 * What is used of {@code struct rdma_cm_event}, and {@code struct rdma_conn_param}.
 *
 * <pre>
 *   rdma_cm_event
 *    0        8        16      20      24              32          33 - - 80
 *   +--------+--------+-------+-------+---------------+-----------+-- - --+
 *   |   id   |listener| event |status | private data  | its length|       |
 *   +--------+--------+-------+-------+---------------+-----------+-- - --+
 *
 *   rdma_conn_param
 *    0               8          9          10       11      12     13    14  16     24
 *   +---------------+----------+----------+--------+-------+------+-----+---+------+
 *   | private data  |its length|responder |initiat.|flow c.|retry | rnr |srq|qp_num|
 *   +---------------+----------+----------+--------+-------+------+-----+---+------+
 * </pre>
 */
final class CmEventLayout {
  static final int BYTES = 80;
  static final int ID = 0;
  static final int LISTENER = 8;
  static final int TYPE = 16;
  static final int STATUS = 20;
  static final int PRIVATE_DATA = 24;
  static final int PRIVATE_DATA_LENGTH = 32;

  static final int PARAMETER_BYTES = 24;
  static final int PARAMETER_DATA = 0;
  static final int PARAMETER_DATA_LENGTH = 8;
  static final int PARAMETER_RESPONDER_RESOURCES = 9;
  static final int PARAMETER_INITIATOR_DEPTH = 10;
  static final int PARAMETER_FLOW_CONTROL = 11;
  static final int PARAMETER_RETRIES = 12;
  static final int PARAMETER_RNR_RETRIES = 13;
  static final int PARAMETER_QUEUE_PAIR = 16;

  private CmEventLayout() {}
}
