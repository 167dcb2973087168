package org.slipstream.benchmarks.demo;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Locale;

/** One HTTP/1.1 connection that stays open from request to request, over {@code Socket}. */
final class HttpConnection implements AutoCloseable {
  private static final int PATIENCE_MS = 5_000;
  private static final int LONGEST_LINE = 1 << 10;
  private static final String LENGTH = "content-length:";

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  /**
   * Connects.
   *
   * @param port of this host
   * @throws IOException there is no server
   */
  HttpConnection(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MS);
    in = new BufferedInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  /**
   * Sends a request and waits for its answer, five seconds at most.
   *
   * @param body of the request
   * @return that of the answer
   * @throws IOException there is no whole answer
   */
  byte[] exchange(byte[] body) throws IOException {
    byte[] head =
        ("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length + "\r\n\r\n")
            .getBytes(US_ASCII);
    byte[] request = new byte[head.length + body.length];
    System.arraycopy(head, 0, request, 0, head.length);
    System.arraycopy(body, 0, request, head.length, body.length);
    out.write(request);
    String status = line();
    if (!status.startsWith("HTTP/1.1 200 ")) {
      throw new IOException("the server answered " + status);
    }
    int length = -1;
    for (String field = line(); !field.isEmpty(); field = line()) {
      if (field.toLowerCase(Locale.ROOT).startsWith(LENGTH)) {
        length = Integer.parseInt(field.substring(LENGTH.length()).strip());
      }
    }
    if (length < 0) {
      throw new IOException("the answer has no length");
    }
    byte[] answer = in.readNBytes(length);
    if (answer.length < length) {
      throw new EOFException("the answer is cut");
    }
    return answer;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0 || line.length() == LONGEST_LINE) {
        throw new EOFException("the answer is cut");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      return; // the server is gone
    }
  }
}
