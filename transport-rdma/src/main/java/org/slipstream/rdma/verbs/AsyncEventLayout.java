package org.slipstream.rdma.verbs;

/**
 * {@code struct ibv_async_event}.
 *
 * <pre>
 *    0                 8       12     16
 *   +-----------------+-------+------+
 *   | element or port | type  |      |
 *   +-----------------+-------+------+
 * </pre>
 */
final class AsyncEventLayout {
  static final int BYTES = 16;
  static final int ELEMENT = 0;
  static final int TYPE = 8;

  private AsyncEventLayout() {}
}
