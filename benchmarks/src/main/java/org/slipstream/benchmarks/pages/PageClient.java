package org.slipstream.benchmarks.pages;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.slipstream.benchmarks.programs.Commands;
import org.slipstream.benchmarks.programs.Report;

/**
 * Reads pages at random offsets: any number of clients with a connection each, of which each waits
 * for its answer before it asks again; all on one thread with one selector.
 *
 * <p>Commands on its input: {@code run BYTES CLIENTS MILLIS}, answered by a {@link Report}.
 */
public final class PageClient {
  private static final int MOST_READ = 1 << 20;

  private final int port;
  private final long pages;
  private final boolean check;
  private final Selector selector = Selector.open();
  private final List<Client> clients = new ArrayList<>();
  private final ByteBuffer request = ByteBuffer.allocateDirect(PageServer.REQUEST_BYTES);
  private final ByteBuffer answer = ByteBuffer.allocateDirect(MOST_READ);
  private final SplittableRandom random = new SplittableRandom(1);

  private PageClient(int port, long pages, boolean check) throws IOException {
    this.port = port;
    this.pages = pages;
    this.check = check;
  }

  /** One connection, and what it waits for. */
  private static final class Client {
    final SocketChannel channel;
    long began;
    long offset;
    int left;

    Client(SocketChannel channel) {
      this.channel = channel;
    }
  }

  /** {@code PORT FILE_BYTES check|trust}; obeys its input. */
  public static void main(String[] args) throws IOException {
    PageClient all =
        new PageClient(
            Integer.parseInt(args[0]),
            Long.parseLong(args[1]) / PageFile.PAGE,
            args[2].equals("check"));
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Commands.answer("ready");
    @Nullable String line;
    while ((line = input.readLine()) != null && !line.equals("quit")) {
      String[] words = line.split(" ", -1);
      Report report =
          all.run(Integer.parseInt(words[1]), Integer.parseInt(words[2]), Long.parseLong(words[3]));
      Commands.answer(report.toLine());
    }
    System.exit(0);
  }

  private Report run(int bytes, int wanted, long millis) throws IOException {
    while (clients.size() < wanted) {
      SocketChannel channel =
          SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      Client client = new Client(channel);
      channel.configureBlocking(false).register(selector, SelectionKey.OP_READ, client);
      clients.add(client);
    }
    Histogram histogram = Report.newHistogram();
    long first = System.nanoTime();
    long last = first + millis * 1_000_000;
    for (Client client : clients.subList(0, wanted)) {
      ask(client, bytes);
    }
    int underWay = wanted;
    while (underWay > 0) {
      selector.select();
      for (SelectionKey key : selector.selectedKeys()) {
        Client client = (Client) key.attachment();
        if (!receive(client)) {
          continue;
        }
        long now = System.nanoTime();
        Report.record(histogram, now - client.began, 1);
        if (now - last < 0) {
          ask(client, bytes);
        } else {
          underWay--;
        }
      }
      selector.selectedKeys().clear();
    }
    long count = histogram.getTotalCount();
    return new Report(count, System.nanoTime() - first, count, histogram);
  }

  private void ask(Client client, int bytes) throws IOException {
    client.offset = random.nextLong(pages - bytes / PageFile.PAGE + 1) * PageFile.PAGE;
    client.left = bytes;
    client.began = System.nanoTime();
    request.clear().putLong(client.offset).putInt(bytes).flip();
    while (request.hasRemaining()) {
      client.channel.write(request);
    }
  }

  /** Returns whether the whole of the answer has come. */
  private boolean receive(Client client) throws IOException {
    int n = client.channel.read(answer.clear().limit(Math.min(client.left, MOST_READ)));
    if (n < 0) {
      throw new IOException("the server closed a connection");
    }
    if (check) {
      long wrong = PageFile.difference(answer.flip(), client.offset);
      if (wrong >= 0) {
        throw new IOException("the byte at " + wrong + " of the file came changed");
      }
    }
    client.offset += n;
    client.left -= n;
    return n > 0 && client.left == 0;
  }
}
