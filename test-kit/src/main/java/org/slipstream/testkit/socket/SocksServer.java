package org.slipstream.testkit.socket;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slipstream.testkit.Carrier;
import org.slipstream.testkit.Network;

/** The least of a SOCKS 5 proxy: no authentication, and CONNECT only. */
final class SocksServer implements AutoCloseable {
  private static final int VERSION = 5;
  private static final int IPV4 = 1;
  private static final int NAME = 3;
  private static final int IPV6 = 4;

  private final ServerSocketChannel listener;
  private final Carrier carrier;
  private final AtomicInteger connections = new AtomicInteger();
  private final ConcurrentLinkedQueue<String> names = new ConcurrentLinkedQueue<>();

  /** Starts it, on channels of the stock JDK. */
  SocksServer(Carrier carrier) throws IOException {
    this.carrier = carrier;
    this.listener = carrier.stock().openServerSocketChannel().bind(Network.anyPort());
    Thread.startVirtualThread(this::acceptAll);
  }

  InetSocketAddress address() throws IOException {
    return Network.addressOf(listener);
  }

  /** How many connections it has made for others. */
  int connections() {
    return connections.get();
  }

  /** The names that it was asked to look up. */
  ConcurrentLinkedQueue<String> names() {
    return names;
  }

  private void acceptAll() {
    try {
      for (; ; ) {
        SocketChannel client = listener.accept();
        Thread.startVirtualThread(() -> serve(client));
      }
    } catch (IOException closed) {
      return;
    }
  }

  private void serve(SocketChannel client) {
    try (client) {
      DataInputStream in = new DataInputStream(Channels.newInputStream(client));
      in.readByte();
      in.skipNBytes(in.readUnsignedByte());
      write(client, VERSION, 0);
      in.skipNBytes(3); // version, command, reserved
      InetAddress host = host(in);
      int port = in.readUnsignedShort();
      try (SocketChannel target = carrier.stock().openSocketChannel()) {
        target.connect(new InetSocketAddress(host, port));
        connections.incrementAndGet();
        write(client, VERSION, 0, 0, IPV4, 127, 0, 0, 1, 0, 0);
        Thread back = Thread.startVirtualThread(() -> pump(target, client));
        pump(client, target);
        back.join();
      } catch (IOException refused) {
        write(client, VERSION, 5, 0, IPV4, 0, 0, 0, 0, 0, 0);
      }
    } catch (IOException gone) {
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private InetAddress host(DataInputStream in) throws IOException {
    int type = in.readUnsignedByte();
    return switch (type) {
      case IPV4 -> InetAddress.getByAddress(in.readNBytes(4));
      case IPV6 -> InetAddress.getByAddress(in.readNBytes(16));
      case NAME -> {
        names.add(new String(in.readNBytes(in.readUnsignedByte()), StandardCharsets.US_ASCII));
        yield InetAddress.getLoopbackAddress();
      }
      default -> throw new IOException("Address type " + type);
    };
  }

  private static void write(SocketChannel channel, int... octets) throws IOException {
    byte[] bytes = new byte[octets.length];
    for (int i = 0; i < octets.length; i++) {
      bytes[i] = (byte) octets[i];
    }
    Channels.newOutputStream(channel).write(bytes);
  }

  private static void pump(SocketChannel from, SocketChannel to) {
    try {
      java.nio.ByteBuffer buffer = java.nio.ByteBuffer.allocate(8192);
      while (from.read(buffer.clear()) >= 0) {
        buffer.flip();
        while (buffer.hasRemaining()) {
          to.write(buffer);
        }
      }
      to.shutdownOutput();
    } catch (IOException gone) {
      return;
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
