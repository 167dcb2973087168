package org.slipstream.memory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.slipstream.transport.MemoryEndpoint;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.Session;

/**
 * What two domains say to each other in a session: the only truth about its bytes. Big-endian.
 * Everything that is read is hostile input.
 *
 * <pre>
 *   | kind(1) | id(8) | body |       the id is the client's, of one mapping, from MAP on
 *
 *   1 MAP       version(1) grant(8) secret(16) name(UTF-8)     client: all zero = by the name alone
 *   2 MAPPED    rights(1) size(8) descriptor                   owner: the client may map it now
 *   3 REFUSED   reason(1)                                      owner: it may not
 *   4 REVOKE                                                   owner: unmap it
 *   5 UNMAPPED                                                 client: it is not mapped any more
 *   6 ASK       text(UTF-8)                                    a question, with a number of its own: see ServerBook
 *   7 ANSWER    text(UTF-8)                                    its answer; empty: not a memory server
 * </pre>
 */
final class MemoryFrame {
  static final int VERSION = 1;

  static final byte MAP = 1;
  static final byte MAPPED = 2;
  static final byte REFUSED = 3;
  static final byte REVOKE = 4;
  static final byte UNMAPPED = 5;
  static final byte ASK = 6;
  static final byte ANSWER = 7;

  static final int HEADER_BYTES = 1 + Long.BYTES;
  static final int MAX_NAME_BYTES = 255;

  /** The secret of a request that has a name only. */
  static final String NO_SECRET = "0".repeat(2 * Grant.SECRET_BYTES);

  private MemoryFrame() {}

  /**
   * A request.
   *
   * @param version of the client
   * @param grant its number
   * @param secret of the grant, or {@link #NO_SECRET}
   * @param name of the region
   */
  record Request(int version, long grant, String secret, String name) {}

  /**
   * An answer.
   *
   * @param rights as bits
   * @param size of the region
   * @param descriptor of its memory
   */
  record Answer(int rights, long size, ByteBuffer descriptor) {}

  /** Whether a region may have that name. */
  static boolean isName(String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    return bytes > 0 && bytes <= MAX_NAME_BYTES;
  }

  private static ByteBuffer frame(byte kind, long id, int body) {
    return ByteBuffer.allocate(HEADER_BYTES + body).put(kind).putLong(id);
  }

  static ByteBuffer map(long id, Request request) {
    byte[] name = request.name.getBytes(StandardCharsets.UTF_8);
    return frame(MAP, id, 1 + Long.BYTES + Grant.SECRET_BYTES + name.length)
        .put((byte) request.version)
        .putLong(request.grant)
        .put(HexFormat.of().parseHex(request.secret))
        .put(name)
        .flip();
  }

  static Request readMap(ByteBuffer body) throws IOException {
    int name = body.remaining() - 1 - Long.BYTES - Grant.SECRET_BYTES;
    if (name < 1 || name > MAX_NAME_BYTES) {
      throw new IOException("A region was asked for wrongly");
    }
    int version = body.get();
    long grant = body.getLong();
    byte[] secret = new byte[Grant.SECRET_BYTES];
    body.get(secret);
    return new Request(
        version, grant, Grant.hex(secret), StandardCharsets.UTF_8.decode(body).toString());
  }

  /**
   * An answer.
   *
   * @throws IOException if the medium can not give the memory to the peer
   */
  static ByteBuffer mapped(long id, int rights, OwnMemory memory, Session to, String grant)
      throws IOException {
    ByteBuffer frame =
        frame(MAPPED, id, 1 + Long.BYTES + MemoryEndpoint.MAX_DESCRIPTOR_BYTES)
            .put((byte) rights)
            .putLong(memory.segment().byteSize());
    memory.describe(to, grant, Right.access(rights), frame);
    return frame.flip();
  }

  static Answer readMapped(ByteBuffer body) throws IOException {
    if (body.remaining() < 1 + Long.BYTES) {
      throw new IOException("A region was granted wrongly");
    }
    return new Answer(body.get(), body.getLong(), body.slice());
  }

  static ByteBuffer refused(long id, MappingException.Reason reason) {
    return frame(REFUSED, id, 1).put((byte) reason.code()).flip();
  }

  static MappingException.Reason readRefused(ByteBuffer body) throws IOException {
    int code = body.remaining() == 1 ? body.get() : 0;
    for (MappingException.Reason reason : MappingException.Reason.values()) {
      if (code > 0 && code == reason.code()) {
        return reason;
      }
    }
    throw new IOException("A region was refused wrongly");
  }

  static ByteBuffer revoke(long id) {
    return frame(REVOKE, id, 0).flip();
  }

  static ByteBuffer unmapped(long id) {
    return frame(UNMAPPED, id, 0).flip();
  }

  static ByteBuffer text(byte kind, long id, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return frame(kind, id, bytes.length).put(bytes).flip();
  }

  static String readText(ByteBuffer body) {
    return StandardCharsets.UTF_8.decode(body).toString();
  }
}
