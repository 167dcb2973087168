package org.slipstream.core.ring;

import java.nio.ByteBuffer;

/** Wakes a peer's reader that is armed, on the way that it names in our window. */
@FunctionalInterface
public interface PipeDoorbell {
  /** For links whose doorbells are bytes on the TCP connection. */
  PipeDoorbell NONE = (words, arming) -> false;

  /**
   * Rings once. Called by the writer, after a publish. Never waits.
   *
   * @param words our control block, in which the reader names the way
   * @param arming the number of the arming
   * @return false if the reader named no other way than TCP, or this process can not use it now:
   *     then the byte on the TCP connection has to wake it
   */
  boolean ring(ByteBuffer words, int arming);
}
