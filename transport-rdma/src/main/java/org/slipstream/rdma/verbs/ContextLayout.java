package org.slipstream.rdma.verbs;

/**
 * What is used of {@code struct ibv_context}: the functions that the header calls inline, and the
 * two files by which the process holds the device; and of the {@code struct ibv_device} that it
 * names.
 *
 * <pre>
 *    0        8              96       104              208      216      224        264   268     272   328
 *   +--------+-- - - - - -+--------+--------+-- - --+--------+--------+-- - - --+-----+-------+-- - -+
 *   | device |            |poll_cq |req_noti|       |post_sen|post_rec|         | cmd | async |      |
 *   +--------+-- - - - - -+--------+--------+-- - --+--------+--------+-- - - --+-----+-------+-- - -+
 *
 *   ibv_device: transport_type at 20.
 * </pre>
 */
final class ContextLayout {
  static final int BYTES = 328;
  static final int DEVICE = 0;
  static final int POLL = 96;
  static final int REQUEST_NOTIFY = 104;
  static final int POST_SEND = 208;
  static final int POST_RECEIVE = 216;
  static final int COMMAND_DESCRIPTOR = 264;
  static final int ASYNC_DESCRIPTOR = 268;

  static final int DEVICE_BYTES = 24; // of what is used
  static final int DEVICE_TRANSPORT = 20;
  static final int TRANSPORT_IWARP = 1;

  private ContextLayout() {}
}
