package org.slipstream.transport;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;

/**
 * Random bits that can not be guessed, from the kernel. {@link SecureRandom} gives them, too, but
 * its first use loads the JDK's security providers, which a process that has just been started
 * would wait for. Any thread; waits only for a read of the kernel's device, once for many calls.
 */
public final class RandomBits {
  private static final String KERNEL = "/dev/urandom";

  /** Read at once; guarded by the class, as is the rest. */
  private static final byte[] POOL = new byte[512];

  /** How much of the pool is unused, from its beginning on. */
  private static int left;

  private RandomBits() {}

  /**
   * Random bits.
   *
   * @return 64 of them
   */
  public static synchronized long next() {
    long bits = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      bits = (bits << Byte.SIZE) | (take() & 0xFF);
    }
    return bits;
  }

  /**
   * Fills an array.
   *
   * @param bytes receives random ones
   */
  public static synchronized void fill(byte[] bytes) {
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = take();
    }
  }

  /** Each byte is given once, and is not kept. */
  private static byte take() {
    if (left == 0) {
      refill();
    }
    byte next = POOL[--left];
    POOL[left] = 0;
    return next;
  }

  private static void refill() {
    try (InputStream in = new FileInputStream(KERNEL)) {
      if (in.readNBytes(POOL, 0, POOL.length) == POOL.length) {
        left = POOL.length;
        return;
      }
    } catch (IOException e) {
      // A root directory without devices, or no descriptor left: the JDK knows other ways.
    }
    new SecureRandom().nextBytes(POOL);
    left = POOL.length;
  }
}
