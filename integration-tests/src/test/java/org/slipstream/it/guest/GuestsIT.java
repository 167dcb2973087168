package org.slipstream.it.guest;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The virtual machines that run beside that of {@link RdmaGuestIT}, one boot after the other. Each
 * class runs by itself as well, by name: {@code -Dit.test=NtbGuestsIT}.
 */
@ExtendWith(GuestTurn.class)
class GuestsIT {
  @Nested
  class Conformance extends RdmaConformanceGuestIT {}

  @Nested
  class NtbTwoHosts extends NtbGuestsIT {}
}
