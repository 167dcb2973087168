package org.slipstream.it.process;

import org.slipstream.netty.Slipstream;
import org.slipstream.netty.SlipstreamIoHandler;

/** A program that has the Netty adapter and nothing else of ours. */
final class NettyWithoutCore {
  private NettyWithoutCore() {}

  /**
   * Prints what the adapter says.
   *
   * @param args none
   */
  public static void main(String[] args) {
    Throwable cause = Slipstream.unavailabilityCause();
    System.out.println(Slipstream.isAvailable() + " " + (cause == null ? "" : cause.getMessage()));
    try {
      System.out.println(SlipstreamIoHandler.newFactory());
    } catch (IllegalStateException e) {
      System.out.println("newFactory " + e.getMessage());
    }
  }
}
