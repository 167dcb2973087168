package org.slipstream.benchmarks.examples;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;

/**
 * By streams: a connection between each two processes, all of them in one selector, so that reading
 * and writing go on side by side. Which carries them, TCP or Slipstream, it does not know.
 *
 * <pre>
 *   message:  | length(8) | bytes |
 * </pre>
 */
final class SocketExchange implements Exchange {

  /** What goes over one connection in one step. */
  private static final class Peer {
    final SocketChannel channel;
    final ByteBuffer[] out = {ByteBuffer.allocateDirect(Long.BYTES), ByteBuffer.allocate(0)};
    final ByteBuffer head = ByteBuffer.allocateDirect(Long.BYTES);
    final ByteBuffer in;

    Peer(SocketChannel channel, Selector selector, MemorySegment in) throws IOException {
      this.channel = channel;
      this.in = in.asByteBuffer();
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.configureBlocking(false);
      SelectionKey _ = channel.register(selector, SelectionKey.OP_READ, this);
    }

    void begin(MemorySegment bytes) {
      out[0].clear().putLong(bytes.byteSize()).flip();
      out[1] = bytes.asByteBuffer();
      head.clear();
      in.clear();
    }

    boolean sent() {
      return !out[1].hasRemaining() && !out[0].hasRemaining();
    }

    boolean received() {
      return !head.hasRemaining() && !in.hasRemaining();
    }

    /** Moves what can be moved at once; returns whether that was anything. */
    boolean move() throws IOException {
      long moved = sent() ? 0 : channel.write(out);
      if (head.hasRemaining()) {
        moved += read(head);
        if (!head.hasRemaining()) {
          in.limit((int) head.flip().getLong());
        }
      }
      if (!head.hasRemaining() && in.hasRemaining()) {
        moved += read(in);
      }
      return moved > 0;
    }

    private int read(ByteBuffer into) throws IOException {
      int n = channel.read(into);
      if (n < 0) {
        throw new IOException("A process has ended");
      }
      return n;
    }

    boolean isDone() {
      return sent() && received();
    }
  }

  private final int index;
  private final ServerSocketChannel listener;
  private final Selector selector = Selector.open();
  private final Peer[] peers;
  private final MemorySegment[] outgoing;
  private final MemorySegment[] buffers;
  private final MemorySegment[] incoming;

  SocketExchange(int index, int workers, long capacity) throws IOException {
    this.index = index;
    this.peers = new Peer[workers];
    this.outgoing = new MemorySegment[workers];
    this.buffers = new MemorySegment[workers];
    this.incoming = new MemorySegment[workers];
    for (int i = 0; i < workers; i++) {
      outgoing[i] = Arena.ofAuto().allocate(capacity, Long.BYTES);
      buffers[i] = i == index ? outgoing[i] : Arena.ofAuto().allocate(capacity, Long.BYTES);
      incoming[i] = buffers[i].asSlice(0, 0);
    }
    this.listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  @Override
  public String address() throws IOException {
    return Integer.toString(((InetSocketAddress) listener.getLocalAddress()).getPort());
  }

  /** Connects to all with a smaller number, and accepts the others, which say theirs. */
  @Override
  public void connect(List<String> addresses) throws IOException {
    for (int i = 0; i < index; i++) {
      SocketChannel channel =
          SocketChannel.open(
              new InetSocketAddress(
                  InetAddress.getLoopbackAddress(), Integer.parseInt(addresses.get(i))));
      channel.write(ByteBuffer.wrap(new byte[] {(byte) index}));
      peers[i] = new Peer(channel, selector, buffers[i]);
    }
    for (int i = index + 1; i < peers.length; i++) {
      SocketChannel channel = listener.accept();
      ByteBuffer number = ByteBuffer.allocate(1);
      if (channel.read(number) != 1) {
        throw new IOException("A process has ended");
      }
      peers[number.get(0)] = new Peer(channel, selector, buffers[number.get(0)]);
    }
  }

  @Override
  public int index() {
    return index;
  }

  @Override
  public int workers() {
    return peers.length;
  }

  @Override
  public MemorySegment outgoing(int to) {
    return outgoing[to];
  }

  @Override
  public MemorySegment incoming(int from) {
    return incoming[from];
  }

  @Override
  public void exchange(long[] bytes) throws IOException {
    incoming[index] = outgoing[index].asSlice(0, bytes[index]);
    for (int i = 0; i < peers.length; i++) {
      if (i != index) {
        peers[i].begin(outgoing[i].asSlice(0, bytes[i]));
      }
    }
    while (true) {
      boolean done = true;
      boolean moved = false;
      for (int i = 0; i < peers.length; i++) {
        if (i != index && !peers[i].isDone()) {
          moved |= peers[i].move();
          done &= peers[i].isDone();
        }
      }
      if (done) {
        break;
      }
      if (!moved) {
        sleep();
      }
    }
    for (int i = 0; i < peers.length; i++) {
      if (i != index) {
        incoming[i] = buffers[i].asSlice(0, peers[i].in.limit());
      }
    }
  }

  private void sleep() throws IOException {
    for (SelectionKey key : selector.keys()) {
      Peer peer = (Peer) key.attachment();
      int read = peer.received() ? 0 : SelectionKey.OP_READ;
      key.interestOps(read | (peer.sent() ? 0 : SelectionKey.OP_WRITE));
    }
    selector.select();
    selector.selectedKeys().clear();
  }

  @Override
  public void close() throws IOException {
    for (Peer peer : peers) {
      if (peer != null) {
        peer.channel.close();
      }
    }
    listener.close();
    selector.close();
  }
}
