package org.slipstream.it.guest;

import org.junit.jupiter.api.Nested;

/**
 * The virtual machines that other tests may run beside, one boot after the other, in one JVM of
 * those that run test classes side by side: an emulator keeps one core busy, and two at once would
 * leave none for the others on a machine of two. Each class runs by itself as well, by name: {@code
 * -Dit.test=RdmaGuestIT}.
 */
class GuestsIT {
  @Nested
  class Rdma extends RdmaGuestIT {}

  @Nested
  class NtbTwoHosts extends NtbGuestsIT {}
}
