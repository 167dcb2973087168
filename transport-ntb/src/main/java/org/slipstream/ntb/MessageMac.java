package org.slipstream.ntb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ClusterKey;

/**
 * Proves that a message comes from a process that knows the cluster key: the first 16 bytes of an
 * HMAC-SHA256. On a trusted fabric it is 16 zeros, and nothing is proven. One thread at a time.
 */
final class MessageMac {
  static final int BYTES = 16;
  private static final String ALGORITHM = "HmacSHA256";

  private final @Nullable Mac mac;

  private MessageMac(@Nullable Mac mac) {
    this.mac = mac;
  }

  /** The cluster key of this transport's setting; null if the fabric is trusted. */
  static byte @Nullable [] readKey(NtbSettings settings) throws IOException {
    String key = settings.key();
    if (key == null) {
      throw new IOException(
          "slipstream.key names no key file; it may be 'trusted' if no other user reaches the fabric");
    }
    return ClusterKey.read(settings.keySetting(), key);
  }

  /** A MAC with a key; null for a trusted fabric. */
  static MessageMac of(byte @Nullable [] key) {
    if (key == null) {
      return new MessageMac(null);
    }
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return new MessageMac(mac);
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
