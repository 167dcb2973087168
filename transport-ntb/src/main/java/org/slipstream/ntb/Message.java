package org.slipstream.ntb;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ProcessId;

/**
 * What two processes say in data interrupts, at most {@link Fabric#MESSAGE_BYTES} bytes: the only
 * truth about their bytes. Big-endian.
 *
 * <pre>
 *   | kind(1) version(1) receiver(8) | body | proof(16) |
 *
 *   1 HELLO    node(4) inbox(4) segment(4) sender(8) process(16)   receiver is 0: it has no name yet
 *   2 WELCOME  segment(4) sender(8) challenge(8)
 *   3 CONFIRM                                                      proof is over the challenge
 *   4 WAKE                                                         "look at your segment"; no proof
 * </pre>
 *
 * <p>Sender and receiver are the names that the two ends gave to the session.
 */
record Message(
    byte kind,
    long receiver,
    int node,
    int inbox,
    int segment,
    long sender,
    long challenge,
    @Nullable ProcessId process,
    ByteBuffer proof,
    ByteBuffer proven) {

  static final byte VERSION = 4;
  static final byte HELLO = 1;
  static final byte WELCOME = 2;
  static final byte CONFIRM = 3;
  static final byte WAKE = 4;

  private static final int HEAD = 2 + Long.BYTES;

  private static ByteBuffer head(byte kind, long receiver) {
    return ByteBuffer.allocate(Fabric.MESSAGE_BYTES).put(kind).put(VERSION).putLong(receiver);
  }

  static byte[] hello(Fabric fabric, int segment, long sender, ProcessId process, MessageMac mac) {
    ByteBuffer b = head(HELLO, 0);
    b.putInt(fabric.node()).putInt(fabric.inbox()).putInt(segment);
    b.putLong(sender);
    process.put(b);
    return authenticated(b, mac, 0);
  }

  static byte[] welcome(long receiver, int segment, long sender, long challenge, MessageMac mac) {
    ByteBuffer b = head(WELCOME, receiver);
    b.putInt(segment).putLong(sender).putLong(challenge);
    return authenticated(b, mac, 0);
  }

  static byte[] confirm(long receiver, long challenge, MessageMac mac) {
    return authenticated(head(CONFIRM, receiver), mac, challenge);
  }

  static byte[] wake(long receiver) {
    ByteBuffer b = head(WAKE, receiver).flip();
    byte[] bytes = new byte[b.remaining()];
    b.get(bytes);
    return bytes;
  }

  private static byte[] authenticated(ByteBuffer body, MessageMac mac, long number) {
    ByteBuffer written = body.duplicate().flip();
    body.put(mac.proof(number, written)).flip();
    byte[] bytes = new byte[body.remaining()];
    body.get(bytes);
    return bytes;
  }

  /**
   * Reads a message: hostile input.
   *
   * @throws IOException it is none of ours
   */
  static Message read(byte[] bytes) throws IOException {
    ByteBuffer b = ByteBuffer.wrap(bytes);
    if (bytes.length < HEAD) {
      throw new IOException("A message of " + bytes.length + " bytes");
    }
    byte kind = b.get();
    byte version = b.get();
    long receiver = b.getLong();
    int body =
        switch (kind) {
          case HELLO -> 12 + Long.BYTES + ProcessId.BYTES;
          case WELCOME -> 4 + 2 * Long.BYTES;
          case CONFIRM -> 0;
          case WAKE -> -MessageMac.BYTES;
          default -> throw new IOException("A message of kind " + kind);
        };
    if (version != VERSION) {
      throw new IOException("The peer speaks version " + version + ", we speak " + VERSION);
    }
    if (b.remaining() < body + MessageMac.BYTES) {
      throw new IOException("A message of kind " + kind + " and " + bytes.length + " bytes");
    }
    int node = kind == HELLO ? b.getInt() : 0;
    int inbox = kind == HELLO ? b.getInt() : 0;
    int segment = kind == HELLO || kind == WELCOME ? b.getInt() : 0;
    long sender = kind == HELLO || kind == WELCOME ? b.getLong() : 0;
    long challenge = kind == WELCOME ? b.getLong() : 0;
    ProcessId process = kind == HELLO ? ProcessId.get(b) : null;
    ByteBuffer proven = ByteBuffer.wrap(bytes, 0, b.position());
    ByteBuffer proof = b.slice(b.position(), kind == WAKE ? 0 : MessageMac.BYTES);
    return new Message(
        kind, receiver, node, inbox, segment, sender, challenge, process, proof, proven);
  }

  boolean isProven(MessageMac mac, long number) {
    byte[] bytes = new byte[proof.remaining()];
    proof.get(proof.position(), bytes);
    return mac.isProof(bytes, number, proven);
  }
}
