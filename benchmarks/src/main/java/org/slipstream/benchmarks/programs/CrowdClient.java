package org.slipstream.benchmarks.programs;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Opens many connections, uses each a little, and then measures the round trips of a few busy ones
 * among them, on one thread with one selector.
 *
 * <p>Commands on its input: {@code connect N}, {@code use ROUNDS}, {@code busy HOW_MANY MILLIS}.
 */
public final class CrowdClient {
  private static final int BYTES = 64;

  private final int port;
  private final Selector selector = Selector.open();
  private final List<SocketChannel> channels = new ArrayList<>();
  private final ByteBuffer message = ByteBuffer.allocateDirect(BYTES);

  private CrowdClient(int port) throws IOException {
    this.port = port;
  }

  /** One round trip under way. */
  private static final class Exchange {
    long began;
    int received;
  }

  /** Does what its input says; the argument is the port. */
  public static void main(String[] args) throws IOException {
    CrowdClient client = new CrowdClient(Integer.parseInt(args[0]));
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Commands.answer("ready");
    String line;
    while ((line = input.readLine()) != null && !line.equals("quit")) {
      String[] words = line.split(" ", -1);
      switch (words[0]) {
        case "connect" ->
            Commands.answer("connected " + client.connect(Integer.parseInt(words[1])));
        case "use" -> {
          client.exchangeAll(Integer.parseInt(words[1]));
          Commands.answer("used");
        }
        case "busy" ->
            Commands.answer(
                client.busy(Integer.parseInt(words[1]), Long.parseLong(words[2])).toLine());
        default -> throw new IllegalArgumentException("no such command: " + line);
      }
    }
    System.exit(0);
  }

  /** Returns the nanoseconds. */
  private long connect(int connections) throws IOException {
    long start = System.nanoTime();
    for (int i = 0; i < connections; i++) {
      SocketChannel channel = Connections.open(port);
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ, new Exchange());
      channels.add(channel);
    }
    return System.nanoTime() - start;
  }

  /** Each connection has one message under way at a time. */
  private void exchangeAll(int rounds) throws IOException {
    for (int round = 0; round < rounds; round++) {
      long[] left = {channels.size()};
      for (SocketChannel channel : channels) {
        send(channel);
      }
      while (left[0] > 0) {
        selector.select(key -> left[0] -= receive(key) ? 1 : 0);
      }
    }
  }

  private Report busy(int howMany, long millis) throws IOException {
    Histogram histogram = Report.newHistogram();
    long first = System.nanoTime();
    long last = first + MILLISECONDS.toNanos(millis);
    long[] underWay = {0};
    int many = Math.min(howMany, channels.size());
    for (int i = 0; i < many; i++) {
      // Spread over the crowd, so that they are not neighbours in any table.
      send(channels.get((int) ((long) i * channels.size() / many)));
      underWay[0]++;
    }
    while (underWay[0] > 0) {
      selector.select(key -> {
        if (receive(key)) {
          long now = System.nanoTime();
          Report.record(histogram, now - ((Exchange) key.attachment()).began, 1);
          if (now - last < 0) {
            send((SocketChannel) key.channel());
          } else {
            underWay[0]--;
          }
        }
      });
    }
    long count = histogram.getTotalCount();
    return new Report(count, System.nanoTime() - first, count, histogram);
  }

  private void send(SocketChannel channel) {
    try {
      Exchange exchange = (Exchange) channel.keyFor(selector).attachment();
      exchange.received = 0;
      exchange.began = System.nanoTime();
      Connections.writeFully(channel, message.clear());
    } catch (IOException broken) {
      fail(broken);
    }
  }

  /** Returns true if the whole of the answer has come. */
  private boolean receive(SelectionKey key) {
    try {
      Exchange exchange = (Exchange) key.attachment();
      int n = ((SocketChannel) key.channel()).read(message.clear());
      if (n < 0) {
        throw new IOException("the server closed a connection");
      }
      exchange.received += n;
      return n > 0 && exchange.received == BYTES;
    } catch (IOException broken) {
      fail(broken);
      return false;
    }
  }

  private static void fail(IOException broken) {
    System.err.println("A connection failed: " + broken.getMessage());
    System.exit(1);
  }
}
