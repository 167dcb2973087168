package org.slipstream.core.session;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slipstream.transport.Session;

/**
 * The frames by which two processes negotiate links: the only truth about their bytes. Big-endian.
 *
 * <pre>
 *   1 OFFER      id(8) tuple(44) window descriptor(n)   client to server, after the connect
 *   2 ACCEPT     id(8) peer id(8) nonce(16) descriptor  server to client; peer id is the server's own name
 *   3 REFUSE     id(8) reason(1)                        server to client; nothing was allocated
 *   4 WITHDRAW   id(8)                                  client to server: the socket is gone
 *   5 CLOSED     id(8)                                  to the owner of id: no store of mine into your window
 *                                                       can follow
 *   6 CREDIT     id(8)                                  to the owner of id: your writer has space again
 *   7 REVOKE     id(8)                                  to the owner of id: leave my ring
 *   8 LOOK       id(8)                                  to the owner of id: take my control bytes off the TCP
 *                                                       connection, whether or not your program reads
 *   9 PROBE      id(8) port(2) secret(16)               server to client: connect to that port of my address,
 *                                                       and you read the secret
 *   10 PROVEN    id(8)                                  client to server: that was your secret
 *   11 SEEK      id(8) hint(2)                          client to server: have you accepted a connection whose
 *                                                       first sequence number ends so?
 *   12 FOUND     id(8) (sequence(4) clock(4) tuple(44))* server to client: these, and by these addresses
 *   13 CLAIM     id(8) sequence(4) tuple(44) window descriptor(n)  as OFFER, of a connection that was found
 * </pre>
 *
 * <p>PROBE and PROVEN stand between OFFER and ACCEPT if an address may mean another host at the
 * other end ({@link Session#isSameNetwork}). SEEK, FOUND and CLAIM find a connection whose
 * addresses are translated between its ends; they are good on one kernel alone ({@link
 * Session#isOneKernel}). An id is always the name that the <em>receiver</em> of the frame gave,
 * except in OFFER. LOOK may travel on a later session with the same process, if that of the link is
 * over.
 */
final class Frame {
  static final byte OFFER = 1;
  static final byte ACCEPT = 2;
  static final byte REFUSE = 3;
  static final byte WITHDRAW = 4;
  static final byte CLOSED = 5;
  static final byte CREDIT = 6;
  static final byte REVOKE = 7;
  static final byte LOOK = 8;
  static final byte PROBE = 9;
  static final byte PROVEN = 10;
  static final byte SEEK = 11;
  static final byte FOUND = 12;
  static final byte CLAIM = 13;

  /** Reasons in REFUSE. */
  static final byte REFUSED_NO_MEMORY = 1;

  static final byte REFUSED_WITHDRAWN = 2;
  static final byte REFUSED_TOO_MANY = 3;
  static final byte REFUSED_NOT_ELIGIBLE = 4;
  static final byte REFUSED_NO_PROOF = 5;

  private Frame() {}

  static ByteBuffer allocate(byte type, long id) {
    return ByteBuffer.allocate(Session.MAX_FRAME_BYTES).put(type).putLong(id);
  }

  static void send(Session session, byte type, long id) {
    session.send(ByteBuffer.allocate(1 + Long.BYTES).put(type).putLong(id).flip());
  }

  static void refuse(Session session, long id, byte reason) {
    session.send(ByteBuffer.allocate(2 + Long.BYTES).put(REFUSE).putLong(id).put(reason).flip());
  }

  static void require(ByteBuffer frame, int bytes) throws IOException {
    if (frame.remaining() < bytes) {
      throw new IOException("Truncated frame: " + frame.remaining() + " of " + bytes + " bytes");
    }
  }
}
