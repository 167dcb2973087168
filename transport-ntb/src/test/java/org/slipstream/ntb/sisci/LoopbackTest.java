package org.slipstream.ntb.sisci;

/** The numbers of the public tables. */
final class LoopbackTest extends LoopbackContract {
  @Override
  String variant() {
    return "loopback";
  }
}
