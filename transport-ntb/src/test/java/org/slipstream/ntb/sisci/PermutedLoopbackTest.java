package org.slipstream.ntb.sisci;

/** Other numbers for all constants, and the other symbol prefix. */
final class PermutedLoopbackTest extends LoopbackContract {
  @Override
  String variant() {
    return "permuted";
  }
}
