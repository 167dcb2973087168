package org.slipstream.benchmarks.programs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;

/** An event loop: selects first, then reads or writes what is ready. */
final class SelectorTransfer implements Transfer {
  private final Selector selector;
  private final SocketChannel channel;
  private final SelectionKey key;

  SelectorTransfer(SocketChannel channel, List<SocketChannel> idle) throws IOException {
    this.selector = Selector.open();
    this.channel = channel;
    this.key = channel.register(selector, SelectionKey.OP_READ);
    for (SocketChannel silent : idle) {
      silent.register(selector, SelectionKey.OP_READ);
    }
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    int count = 0;
    while (count == 0) {
      if (select()) {
        count = channel.read(into);
      }
    }
    return count;
  }

  @Override
  public void write(ByteBuffer from) throws IOException {
    channel.write(from);
    if (from.hasRemaining()) {
      key.interestOps(SelectionKey.OP_WRITE);
      while (from.hasRemaining()) {
        if (select()) {
          channel.write(from);
        }
      }
      key.interestOps(SelectionKey.OP_READ);
    }
  }

  /** Sleeps until something is ready and says whether it is the busy channel. */
  private boolean select() throws IOException {
    selector.select();
    Set<SelectionKey> ready = selector.selectedKeys();
    boolean mine = ready.remove(key);
    if (!ready.isEmpty()) {
      throw new IOException("a silent connection became ready: " + ready);
    }
    return mine;
  }

  @Override
  public void close() throws IOException {
    for (SelectionKey each : selector.keys()) {
      each.channel().close();
    }
    selector.close();
  }
}
