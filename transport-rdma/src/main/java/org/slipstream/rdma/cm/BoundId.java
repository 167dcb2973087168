package org.slipstream.rdma.cm;

import java.io.IOException;
import org.slipstream.rdma.verbs.DeviceContext;

/** An identifier of rdma_cm that has its address: it may be on a device, which may go. */
public interface BoundId extends AutoCloseable {

  /**
   * What names it in events.
   *
   * @return the address of the C object
   */
  long address();

  /**
   * The device that it was bound to by resolving, or by the request.
   *
   * @return the device
   * @throws IOException if it is bound to none
   */
  DeviceContext device() throws IOException;

  /**
   * Whether it is bound to a device, and to this one.
   *
   * @param device {@link DeviceContext#address}
   * @return false for an identifier that listens on all
   */
  boolean isOn(long device);

  /** Destroys it. Idempotent. */
  @Override
  void close();
}
