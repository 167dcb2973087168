package org.slipstream.it.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Iterator;
import java.util.function.IntConsumer;
import org.slipstream.transport.MemoryShortage;

/**
 * Echo servers of a program that lives on when its heap is full for a moment: whatever fails for
 * want of memory is done again. All that a server does is done by one thread, {@link #THREAD}.
 */
final class PatientServers {
  static final String THREAD = "patient";
  private static final int CHUNK = 4096;

  private PatientServers() {}

  /** Does something, again and again if there is no memory for it. */
  private static void patiently(Step step) throws IOException {
    for (; ; ) {
      try {
        step.run();
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest();
      }
    }
  }

  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  // -- a selector ------------------------------------------------------------------------------

  /** Serves the connections of a listener, until the process ends. */
  static void echoWithSelector(ServerSocketChannel listener) throws IOException {
    Selector selector = Selector.open();
    listener.configureBlocking(false);
    listener.register(selector, SelectionKey.OP_ACCEPT);
    Thread.ofPlatform().daemon().name(THREAD).start(() -> serve(selector));
  }

  private static void serve(Selector selector) {
    for (; ; ) {
      try {
        patiently(() -> {
          selector.select();
          for (Iterator<SelectionKey> i = selector.selectedKeys().iterator(); i.hasNext(); ) {
            SelectionKey key = i.next();
            i.remove();
            serve(selector, key);
          }
        });
      } catch (IOException e) {
        System.out.println("@0 a patient selector failed: " + e);
        return;
      }
    }
  }

  private static void serve(Selector selector, SelectionKey key) throws IOException {
    if (key.channel() instanceof ServerSocketChannel listener) {
      SocketChannel accepted = listener.accept();
      if (accepted != null) {
        accepted.configureBlocking(false);
        accepted.register(selector, SelectionKey.OP_READ, ByteBuffer.allocate(CHUNK));
      }
      return;
    }
    SocketChannel channel = (SocketChannel) key.channel();
    ByteBuffer buffer = (ByteBuffer) key.attachment();
    if (channel.read(buffer) < 0) {
      patiently(channel::close);
      return;
    }
    buffer.flip();
    while (buffer.hasRemaining()) {
      patiently(() -> channel.write(buffer));
    }
    buffer.clear();
  }

  // -- a group ---------------------------------------------------------------------------------

  /**
   * Serves the connections of a listener of its own, until the process ends.
   *
   * @return its port
   */
  static int echoAsynchronously() throws IOException {
    AsynchronousChannelGroup group =
        AsynchronousChannelGroup.withFixedThreadPool(
            1, Thread.ofPlatform().daemon().name(THREAD).factory());
    AsynchronousServerSocketChannel listener = AsynchronousServerSocketChannel.open(group);
    listener.bind(new InetSocketAddress(PeerProgram.HOST, 0));
    accept(listener);
    return ((InetSocketAddress) listener.getLocalAddress()).getPort();
  }

  private static void accept(AsynchronousServerSocketChannel listener) {
    listener.accept(
        null,
        new CompletionHandler<AsynchronousSocketChannel, Void>() {
          @Override
          public void completed(AsynchronousSocketChannel channel, Void nothing) {
            accept(listener);
            read(channel, ByteBuffer.allocate(CHUNK));
          }

          @Override
          public void failed(Throwable why, Void nothing) {
            System.out.println("@0 a patient accept failed: " + why);
          }
        });
  }

  private static void read(AsynchronousSocketChannel channel, ByteBuffer buffer) {
    Patient then =
        new Patient(
            () -> read(channel, buffer),
            count -> {
              if (count < 0) {
                begin(channel::close);
              } else {
                write(channel, buffer.flip());
              }
            });
    begin(() -> channel.read(buffer, channel, then));
  }

  private static void write(AsynchronousSocketChannel channel, ByteBuffer buffer) {
    Patient then =
        new Patient(
            () -> write(channel, buffer),
            count -> {
              if (buffer.hasRemaining()) {
                write(channel, buffer);
              } else {
                read(channel, buffer.clear());
              }
            });
    begin(() -> channel.write(buffer, channel, then));
  }

  private static void begin(Step step) {
    try {
      patiently(step);
    } catch (IOException e) {
      System.out.println("@0 a patient connection failed: " + e);
    }
  }

  /** What fails for want of memory is begun again. */
  private record Patient(Runnable again, IntConsumer then)
      implements CompletionHandler<Integer, AsynchronousSocketChannel> {
    @Override
    public void completed(Integer count, AsynchronousSocketChannel channel) {
      then.accept(count);
    }

    @Override
    public void failed(Throwable why, AsynchronousSocketChannel channel) {
      if (why instanceof OutOfMemoryError) {
        again.run();
      } else {
        begin(channel::close);
      }
    }
  }
}
