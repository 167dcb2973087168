package org.slipstream.ntb;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slipstream.core.ring.ControlLayout;

/** Here because this is the first module that sees both the core and a backend. */
class ControlBlockSizeTest {
  @Test
  void aSlotHoldsExactlyOneControlBlock() {
    assertThat(SlabLayout.CONTROL_BYTES).isEqualTo(ControlLayout.BYTES);
  }
}
