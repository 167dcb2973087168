package org.slipstream.benchmarks.pages;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Sends pages of a file to whom asks for them, on one thread with one selector. */
public final class PageServer {
  static final int REQUEST_BYTES = Long.BYTES + Integer.BYTES;
  private static final int BACKLOG = 1024;

  private final FileChannel file;

  /** Where an answer goes on that was cut within a page: O_DIRECT reads whole pages only. */
  private final FileChannel cached;

  private final boolean transferTo;

  private PageServer(Path path, boolean transferTo, boolean direct) throws IOException {
    this.cached = PageFile.open(path, false);
    this.file = direct ? PageFile.open(path, true) : cached;
    this.transferTo = transferTo;
  }

  /** {@code FILE transferTo|read cached|direct}; says {@code ready PORT}, ends with its input. */
  public static void main(String[] args) throws IOException {
    PageServer server =
        new PageServer(Path.of(args[0]), args[1].equals("transferTo"), args[2].equals("direct"));
    ServerSocketChannel listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
    Thread.ofPlatform().daemon().name("pages").start(() -> server.serve(listener));
    System.out.println("ready " + ((InetSocketAddress) listener.getLocalAddress()).getPort());
    while (System.in.read() >= 0) {
      // The input says nothing; its end is the end.
    }
    System.exit(0);
  }

  /** One connection. */
  private static final class Client {
    final ByteBuffer request = ByteBuffer.allocateDirect(REQUEST_BYTES);

    /** What was read and not yet written; only with {@code read}. */
    ByteBuffer piece = ByteBuffer.allocate(0);

    long offset;
    long left;
  }

  private void serve(ServerSocketChannel listener) {
    try {
      Selector selector = Selector.open();
      listener.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
      for (; ; ) {
        selector.select();
        for (SelectionKey key : selector.selectedKeys()) {
          if (key.isAcceptable()) {
            accept(listener, selector);
          } else {
            answer(key, (SocketChannel) key.channel(), (Client) key.attachment());
          }
        }
        selector.selectedKeys().clear();
      }
    } catch (IOException broken) {
      broken.printStackTrace();
      System.exit(1);
    }
  }

  private static void accept(ServerSocketChannel listener, Selector selector) throws IOException {
    SocketChannel channel;
    while ((channel = listener.accept()) != null) {
      channel.configureBlocking(false).register(selector, SelectionKey.OP_READ, new Client());
    }
  }

  private void answer(SelectionKey key, SocketChannel channel, Client client) throws IOException {
    if (client.left == 0) {
      if (channel.read(client.request) < 0) {
        channel.close();
        return;
      }
      if (client.request.hasRemaining()) {
        return;
      }
      client.offset = client.request.flip().getLong();
      client.left = client.request.getInt();
      client.request.clear();
    }
    if (transferTo) {
      transfer(channel, client);
    } else {
      copy(channel, client);
    }
    int ops = client.left == 0 ? SelectionKey.OP_READ : SelectionKey.OP_WRITE;
    if (key.interestOps() != ops) {
      key.interestOps(ops);
    }
  }

  /** Until all is sent, or the channel takes no more. */
  private void transfer(SocketChannel channel, Client client) throws IOException {
    long n = 1;
    while (client.left > 0 && n > 0) {
      boolean whole = (client.offset | client.left) % PageFile.PAGE == 0;
      n = (whole ? file : cached).transferTo(client.offset, client.left, channel);
      client.offset += n;
      client.left -= n;
    }
  }

  private void copy(SocketChannel channel, Client client) throws IOException {
    while (client.left > 0) {
      if (!client.piece.hasRemaining()) {
        read(client);
      }
      int n = channel.write(client.piece);
      client.left -= n;
      if (n == 0) {
        return;
      }
    }
  }

  /** As much as a server usually reads at once, or less. */
  private void read(Client client) throws IOException {
    int length = (int) Math.min(client.left, 64 << 10);
    if (client.piece.capacity() < length) {
      client.piece = ByteBuffer.allocateDirect(length + PageFile.PAGE).alignedSlice(PageFile.PAGE);
    }
    client.piece.clear().limit(length);
    while (client.piece.hasRemaining()) {
      if (file.read(client.piece, client.offset + client.piece.position()) < 0) {
        throw new IOException("a request reaches beyond the end of the file");
      }
    }
    client.piece.flip();
    client.offset += length;
  }
}
