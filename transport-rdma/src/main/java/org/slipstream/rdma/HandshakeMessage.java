package org.slipstream.rdma;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Refusal;

/**
 * What two processes say to each other before there is a queue pair, in rdma_cm's private data: the
 * only truth about its bytes. Big-endian. A peer's device may append zeros.
 *
 * <pre>
 *    0       4         6      7        8             24         28       44      56
 *   +-------+---------+------+--------+-------------+----------+--------+-------+
 *   | magic | version | kind | detail | process id  | reserved | number | proof |
 *   +-------+---------+------+--------+-------------+----------+--------+-------+
 *
 *               in                 detail     number                  proof is bound to
 *   HELLO       request            path MTU   nonce, with a key       -
 *   CHALLENGE   rejection          -          challenge               the nonce
 *   PROVE       request            path MTU   the challenge           -
 *   KNOWN       rejection          -          challenge, with a key   the challenge of the request
 *   LOST        request            path MTU   the challenge           ticket of the lost session
 *   ACCEPT      acceptance         -          ticket of the session   the number of the request
 *   REFUSED     rejection          refusal    -                       -
 *   QUEUE       request            path MTU   count, random           ticket of the session
 *   RAIL        request            path MTU   count, random           ticket of the session
 * </pre>
 *
 * @param kind what it says
 * @param detail what the connecting process limits the path MTU of both ends to, as the two have to
 *     be equal: 0 leaves it to the system, n is 128 shifted by n; or the number of a refusal
 * @param process that says it
 * @param reserved zeros, for options of later minor changes
 * @param number see above
 * @param proof see above; {@link FabricKey} makes it
 */
record HandshakeMessage(
    Kind kind, int detail, ProcessId process, int reserved, Token number, Proof proof) {
  static final int MAGIC = 0x534C4950; // "SLIP"
  static final short VERSION = 4;
  static final int BYTES = 56;

  private static final int HEAD = 6;
  private static final int SMALLEST_MTU = 128;
  private static final int LARGEST_MTU = 5;

  /** Each has its number on the wire. */
  enum Kind {
    /** "I am this process." */
    HELLO(0),
    /** "You have a session with me already." */
    KNOWN(1),
    /** After {@link #KNOWN}: "I have lost it, and here is its ticket; make another one." */
    LOST(2),
    /** "Prove that you know the cluster key." */
    CHALLENGE(3),
    /** "I do." */
    PROVE(4),
    /** "Here is your session." */
    ACCEPT(5),
    /** "No, because." */
    REFUSED(6),
    /** "Here is one more queue pair of our session, for one-sided memory." */
    QUEUE(7),
    /** "Here is a session beside ours, over another port." */
    RAIL(8);

    private final int number;

    Kind(int number) {
      this.number = number;
    }

    int number() {
      return number;
    }

    private static Kind of(int number) throws IOException {
      for (Kind each : values()) {
        if (each.number == number) {
          return each;
        }
      }
      throw new IOException("A handshake of kind " + number);
    }
  }

  /** Someone speaks another version of this. */
  static final class OtherVersionException extends IOException {
    private static final long serialVersionUID = 1;

    OtherVersionException(int version) {
      super("The peer speaks version " + version + " of the session protocol, we speak " + VERSION);
    }
  }

  static HandshakeMessage of(Kind kind, int detail, ProcessId process, Token number, Proof proof) {
    return new HandshakeMessage(kind, detail, process, 0, number, proof);
  }

  /** A rejection with a reason. */
  static HandshakeMessage refused(ProcessId process, int reason) {
    return of(Kind.REFUSED, reason, process, Token.NONE, Proof.NONE);
  }

  /** How a path MTU is written; 0 leaves it to the system. */
  static int detailOfPathMtu(int bytes) {
    return bytes == 0 ? 0 : Integer.numberOfTrailingZeros(bytes / SMALLEST_MTU);
  }

  /** The limit of the path MTU in bytes, 0 if there is none; of a request. */
  int maxPathMtu() {
    return detail == 0 ? 0 : SMALLEST_MTU << detail;
  }

  private boolean isRequest() {
    return switch (kind) {
      case HELLO, PROVE, LOST, QUEUE, RAIL -> true;
      case KNOWN, CHALLENGE, ACCEPT, REFUSED -> false;
    };
  }

  byte[] bytes() {
    ByteBuffer out = ByteBuffer.allocate(BYTES).putInt(MAGIC).putShort(VERSION);
    out.put((byte) kind.number).put((byte) detail);
    process.put(out);
    out.putInt(reserved);
    number.put(out);
    proof.put(out);
    return out.array();
  }

  /** Reads hostile bytes. */
  static HandshakeMessage read(byte[] data) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(data);
    if (data.length < HEAD || in.getInt() != MAGIC) {
      throw new IOException("The peer does not speak Slipstream");
    }
    short version = in.getShort();
    if (version != VERSION) {
      throw new OtherVersionException(version);
    }
    if (data.length < BYTES) {
      throw new IOException("A handshake of " + data.length + " bytes");
    }
    Kind kind = Kind.of(in.get());
    int detail = Byte.toUnsignedInt(in.get());
    HandshakeMessage read =
        new HandshakeMessage(
            kind, detail, ProcessId.get(in), in.getInt(), Token.get(in), Proof.get(in));
    if (read.isRequest() && detail > LARGEST_MTU) {
      throw new IOException("The peer wants a path MTU with the number " + detail);
    }
    return read;
  }

  /** The numbers of refusals; what is not among them is {@link #NO_REASON}. */
  static final int NO_REASON = 0;

  static int numberOf(Refusal refusal) {
    return switch (refusal) {
      case NO_MEMORY_HERE, NO_MEMORY_THERE -> 1;
      case VERSION -> 2;
      case NOT_ALLOWED, NOT_ALLOWED_HERE -> 3;
      case IWARP_OFF -> 4;
      case KEY -> 5;
      case BUSY -> 6;
      case SILENT -> NO_REASON;
    };
  }
}
