package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slipstream.core.ring.ControlLayout;

/** Here because this is the first module that sees both the core and a backend. */
class ControlBlockSizeTest {
  @Test
  void aSlotHoldsExactlyOneControlBlock() {
    assertThat(SlabLayout.CONTROL_BYTES).isEqualTo(ControlLayout.BYTES);
  }

  @Test
  void aSlotOfTheSmallestRingIsLegalForTheCore() {
    assertThat(new SlabLayout(1, 16 * 1024).isValid()).isTrue();
    assertThat(OwnSlab.FIRST_GRANT)
        .isLessThan(16 * 1024)
        .isGreaterThan(ControlLayout.MAILBOX_BYTES);
  }
}
