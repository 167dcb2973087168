package org.slipstream.rdma;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ProcessId;

/**
 * Makes and checks the proofs of handshakes: the first 12 bytes of an HMAC-SHA256 under a key that
 * is derived from the cluster key. Without a cluster key every peer can make them, and they show
 * nothing but that their maker knows the ticket that is part of some.
 */
final class FabricKey {
  private static final String ALGORITHM = "HmacSHA256";
  private static final byte[] PURPOSE = "slipstream rdma 4".getBytes(US_ASCII);

  private final boolean isSet;
  private final SecretKeySpec key;

  private FabricKey(boolean isSet, SecretKeySpec key) {
    this.isSet = isSet;
    this.key = key;
  }

  /** Null for a process without a cluster key. */
  static FabricKey of(byte @Nullable [] clusterKey) {
    SecretKeySpec given = new SecretKeySpec(clusterKey == null ? PURPOSE : clusterKey, ALGORITHM);
    byte[] derived = mac(given, ByteBuffer.wrap(PURPOSE));
    return new FabricKey(clusterKey != null, new SecretKeySpec(derived, ALGORITHM));
  }

  /** Whether the two ends of a session have to prove themselves. */
  boolean isSet() {
    return isSet;
  }

  /**
   * Makes a proof.
   *
   * @param kind of the handshake that carries it, so that none passes for another
   * @param detail of that handshake
   * @param client the process that connects
   * @param server the process that accepts
   * @param number of that handshake
   * @param bound what the proof is an answer to, or a ticket that both know
   */
  Proof prove(
      HandshakeMessage.Kind kind,
      int detail,
      ProcessId client,
      ProcessId server,
      Token number,
      Token bound) {
    ByteBuffer about =
        ByteBuffer.allocate(2 * Integer.BYTES + 2 * ProcessId.BYTES + 4 * Long.BYTES)
            .putInt(kind.number())
            .putInt(detail);
    client.put(about);
    server.put(about);
    number.put(about);
    bound.put(about);
    return Proof.get(ByteBuffer.wrap(mac(key, about.flip())));
  }

  private static byte[] mac(SecretKeySpec key, ByteBuffer about) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(about);
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }
}
