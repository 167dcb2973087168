package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Streams one way, as fast as they go, between two processes: for {@code
 * integration-tests/guest/benchmark rails}. The server reads all that comes; the client writes
 * messages of 1 MiB from direct buffers, and each line {@code STREAMS MILLIS} of its standard input
 * is answered with the MiB/s of as many of its streams together; a stream is opened when it is
 * first needed.
 */
public final class RailsBenchmark {
  private static final int MESSAGE = 1 << 20;

  private RailsBenchmark() {}

  /**
   * Runs one end.
   *
   * @param args {@code server} or {@code client}, the address and the port
   */
  public static void main(String[] args) throws Exception {
    InetSocketAddress at = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
    if (args[0].equals("server")) {
      serve(at);
    } else {
      send(at);
    }
  }

  private static void serve(InetSocketAddress at) throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open().bind(at)) {
      System.out.println("ready");
      for (; ; ) {
        SocketChannel channel = listener.accept();
        Thread.ofPlatform().daemon().start(() -> read(channel));
      }
    }
  }

  private static void read(SocketChannel channel) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(MESSAGE);
    try (channel) {
      while (channel.read(buffer.clear()) >= 0) {
        // the client measures
      }
    } catch (IOException e) {
      System.out.println("a stream ended: " + e);
    }
  }

  private static void send(InetSocketAddress at) throws Exception {
    List<SocketChannel> channels = new ArrayList<>();
    try {
      System.out.println("ready");
      Scanner commands = new Scanner(System.in, UTF_8);
      while (commands.hasNextInt()) {
        int count = commands.nextInt();
        int millis = commands.nextInt();
        while (channels.size() < count) {
          channels.add(SocketChannel.open(at));
        }
        System.out.printf("rate %.1f%n", rate(channels.subList(0, count), millis));
      }
    } finally {
      for (SocketChannel channel : channels) {
        channel.close();
      }
    }
  }

  private static double rate(List<SocketChannel> channels, int millis) throws Exception {
    AtomicLong bytes = new AtomicLong();
    long began = System.nanoTime();
    long end = began + millis * 1_000_000L;
    List<Thread> threads = new ArrayList<>();
    for (SocketChannel channel : channels) {
      threads.add(Thread.ofPlatform().start(() -> bytes.addAndGet(write(channel, end))));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    return bytes.get() / (double) MESSAGE / ((System.nanoTime() - began) / 1e9);
  }

  private static long write(SocketChannel channel, long end) {
    ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE);
    long bytes = 0;
    try {
      while (System.nanoTime() - end < 0) {
        for (message.clear(); message.hasRemaining(); ) {
          bytes += channel.write(message);
        }
      }
    } catch (IOException e) {
      System.out.println("a stream ended: " + e);
    }
    return bytes;
  }
}
