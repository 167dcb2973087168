package org.slipstream.benchmarks.programs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * Both ends of a connection in one thread: round trips without a thread that waits, so that nothing
 * but the calls themselves takes time. Each line of the input says how many; the answer is the time
 * of all of them in nanoseconds, until it is told to quit.
 */
public final class OneThread {
  private static final int WARM_UP = 20_000;

  private final SocketChannel client;
  private final SocketChannel server;
  private final ByteBuffer there;
  private final ByteBuffer back;

  private OneThread(SocketChannel client, SocketChannel server, int bytes) {
    this.client = client;
    this.server = server;
    this.there = ByteBuffer.allocateDirect(bytes);
    this.back = ByteBuffer.allocateDirect(bytes);
  }

  /** {@code BYTES}: connects, says {@code ready PORT}, and serves until its input ends. */
  public static void main(String[] args) throws IOException {
    try (ServerSocketChannel listener = Connections.listen(0, 1);
        SocketChannel client = SocketChannel.open(listener.getLocalAddress());
        SocketChannel server = listener.accept()) {
      client.configureBlocking(false);
      server.configureBlocking(false);
      OneThread both = new OneThread(client, server, Integer.parseInt(args[0]));
      both.trips(WARM_UP);
      Commands.answer(Connections.greeting(listener));
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
      for (String line = in.readLine();
          line != null && !line.equals(Commands.QUIT);
          line = in.readLine()) {
        Commands.answer("result " + both.trips(Integer.parseInt(line)));
      }
    }
  }

  private long trips(int count) throws IOException {
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      pass(client, there, server, back);
      pass(server, back, client, there);
    }
    return System.nanoTime() - start;
  }

  /** Before the upgrade the kernel may take a moment. */
  private static void pass(SocketChannel from, ByteBuffer out, SocketChannel to, ByteBuffer in)
      throws IOException {
    out.clear();
    in.clear();
    while (out.hasRemaining()) {
      from.write(out);
    }
    while (in.hasRemaining()) {
      if (to.read(in) < 0) {
        throw new IOException("the stream ended");
      }
    }
  }
}
