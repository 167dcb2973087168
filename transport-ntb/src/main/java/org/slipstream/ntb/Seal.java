package org.slipstream.ntb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Proves that a message comes from a process that knows the cluster key: the first 16 bytes of an
 * HMAC-SHA256. On a trusted fabric it is 16 zeros, and nothing is proven. One thread at a time.
 */
final class Seal {
  static final int BYTES = 16;
  private static final String ALGORITHM = "HmacSHA256";
  private static final int MIN_KEY_BYTES = 16;

  private final @Nullable Mac mac;

  private Seal(@Nullable Mac mac) {
    this.mac = mac;
  }

  /** The cluster key of a setting; null if the fabric is trusted. */
  static byte @Nullable [] readKey(@Nullable String setting) throws IOException {
    if (setting == null) {
      throw new IOException(
          "slipstream.ntb.key names no key file; it may be 'trusted' if nobody else reaches the fabric");
    }
    if (setting.equals(NtbSettings.TRUSTED)) {
      return null;
    }
    Path path = Path.of(setting);
    byte[] key;
    try {
      Set<PosixFilePermission> mode =
          Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS);
      if (!mode.stream().allMatch(p -> p.name().startsWith("OWNER_"))) {
        throw new IOException(
            "slipstream.ntb.key=" + path + " can be read by others; make it rw-------");
      }
      key = Files.readAllBytes(path);
    } catch (NoSuchFileException e) {
      throw new IOException("slipstream.ntb.key=" + path + " does not exist", e);
    }
    if (key.length < MIN_KEY_BYTES) {
      throw new IOException(
          "slipstream.ntb.key="
              + path
              + " has "
              + key.length
              + " bytes, not "
              + MIN_KEY_BYTES
              + " or more");
    }
    return key;
  }

  /** A seal with a key; null for a trusted fabric. */
  static Seal of(byte @Nullable [] key) {
    if (key == null) {
      return new Seal(null);
    }
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return new Seal(mac);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  /** Derives the key of a session; null for a trusted fabric. */
  byte @Nullable [] derive(ByteBuffer about) {
    if (mac == null) {
      return null;
    }
    mac.update(about.duplicate());
    return mac.doFinal();
  }

  /** The proof for a message. */
  byte[] proof(long number, ByteBuffer message) {
    if (mac == null) {
      return new byte[BYTES];
    }
    mac.update(ByteBuffer.allocate(Long.BYTES).putLong(number).flip());
    mac.update(message.duplicate());
    return Arrays.copyOf(mac.doFinal(), BYTES);
  }

  /** Whether a proof is right. */
  boolean isProof(byte[] proof, long number, ByteBuffer message) {
    return mac == null || MessageDigest.isEqual(proof, proof(number, message));
  }
}
