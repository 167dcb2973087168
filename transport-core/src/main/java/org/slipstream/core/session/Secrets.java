package org.slipstream.core.session;

import java.security.SecureRandom;

/** Random bytes that no other process can guess. Made when the first are needed: that is slow. */
final class Secrets {
  private static final class Holder {
    static final SecureRandom RANDOM = new SecureRandom();
  }

  private Secrets() {}

  /** Fills an array. */
  static void fill(byte[] bytes) {
    Holder.RANDOM.nextBytes(bytes);
  }
}
