package org.slipstream.it.fresh;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * What the two ends say: a request has a length, the length of its answer, its kind, and bytes that
 * follow from the length; the answer has bytes that follow from its own. Neither end closes before
 * it has read what the other one wrote, so on TCP no such connection ever ends early, or by a
 * reset.
 */
final class Talk {
  /** More requests follow, or the client closes. */
  private static final byte MORE = 0;

  /** The server closes behind its answer. */
  private static final byte SERVER_CLOSES = 1;

  /** The client has ended its output behind the request. */
  private static final byte HALF_CLOSED = 2;

  private static final int HEADER = 2 * Integer.BYTES + 1;
  private static final int MOST_REQUESTS = 12;
  private static final int SMALL = 600;
  private static final int LARGE = 120_000;

  /** More than the kernel keeps: the server closes while its answer is under way. */
  private static final int HUGE = 6_000_000;

  private static final int LONGEST_PAUSE_NS = 2_000_000;

  private Talk() {}

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (31 * i + length);
    }
    return bytes;
  }

  /** Fewer bytes than wanted; 0 if the end came before the first one. */
  private static int readFully(Connection connection, byte[] into) throws IOException {
    int got = 0;
    while (got < into.length) {
      int n = connection.read(into, got, into.length - got);
      if (n < 0) {
        return got;
      }
      got += n;
    }
    return got;
  }

  private static void check(byte[] bytes) throws IOException {
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] != (byte) (31 * i + bytes.length)) {
        throw new IOException("a wrong byte at " + i + " of " + bytes.length);
      }
    }
  }

  /**
   * A client's connection, from the first request to the end.
   *
   * @return how many requests were answered
   */
  static int ask(Connection connection, Random random) throws IOException {
    int requests = random.nextInt(3) > 0 ? 1 : 2 + random.nextInt(MOST_REQUESTS);
    byte end = (byte) random.nextInt(3);
    for (int i = 1; i <= requests; i++) {
      boolean isLast = i == requests;
      int length = length(random);
      boolean huge = isLast && end == SERVER_CLOSES && random.nextInt(8) == 0;
      int answerLength = huge ? random.nextInt(HUGE) : length(random);
      byte[] request =
          ByteBuffer.allocate(HEADER + length)
              .putInt(length)
              .putInt(answerLength)
              .put(isLast ? end : MORE)
              .put(bytes(length))
              .array();
      writeInPieces(connection, request, random);
      if (isLast && end == HALF_CLOSED) {
        connection.shutdownOutput();
      }
      if (random.nextInt(4) == 0) {
        LockSupport.parkNanos(random.nextInt(LONGEST_PAUSE_NS)); // a stream may get its link here
      }
      byte[] answer = new byte[answerLength];
      int got = readFully(connection, answer);
      if (got < answerLength) {
        throw new EOFException(
            "answer " + i + " of " + requests + ": " + got + " of " + answerLength);
      }
      check(answer);
    }
    if (end != MORE && connection.read(new byte[1], 0, 1) >= 0) {
      throw new IOException("a byte behind the last answer");
    }
    return requests;
  }

  private static int length(Random random) {
    return random.nextInt(random.nextInt(40) == 0 ? LARGE : SMALL);
  }

  private static void writeInPieces(Connection connection, byte[] all, Random random)
      throws IOException {
    int at = 0;
    for (int pieces = random.nextInt(3); pieces > 0; pieces--) {
      int n = random.nextInt(all.length - at + 1);
      connection.write(all, at, n);
      at += n;
    }
    if (at < all.length) {
      connection.write(all, at, all.length - at);
    }
  }

  /** A server's connection, up to its end. */
  static void answer(Connection connection) throws IOException {
    byte[] header = new byte[HEADER];
    for (int i = 1; ; i++) {
      int got = readFully(connection, header);
      if (got == 0) {
        if (i == 1) {
          throw new EOFException("no request");
        }
        return; // the client has closed
      }
      if (got < HEADER) {
        throw new EOFException("header " + i + ": " + got);
      }
      ByteBuffer fields = ByteBuffer.wrap(header);
      byte[] body = new byte[fields.getInt()];
      final byte[] answer = bytes(fields.getInt());
      final byte end = fields.get();
      got = readFully(connection, body);
      if (got < body.length) {
        throw new EOFException("request " + i + ": " + got + " of " + body.length);
      }
      check(body);
      if (answer.length > 0) {
        connection.write(answer, 0, answer.length);
      }
      if (end == SERVER_CLOSES) {
        return;
      }
      if (end == HALF_CLOSED) {
        if (connection.read(header, 0, 1) >= 0) {
          throw new IOException("a byte behind the last request");
        }
        return;
      }
    }
  }
}
