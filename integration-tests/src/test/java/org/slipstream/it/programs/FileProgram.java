package org.slipstream.it.programs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server of pieces of a file, as Kafka and HDFS are, and its clients. The server counts the
 * system calls of its transfers: {@code /proc/thread-self/io} has those of one thread.
 */
public final class FileProgram {
  static final int FILE_BYTES = 16 << 20;
  private static final long REPORT = -1;
  private static final int REQUEST_BYTES = 16;
  private static final Pattern CALLS = Pattern.compile("(?s).*syscr: (\\d+)\nsyscw: (\\d+)\n.*");

  private FileProgram() {}

  /** {@code server FILE}, or {@code client PORT}, which obeys lines of {@code PIECE TIMES}. */
  public static void main(String[] args) throws Exception {
    if (args[0].equals("server")) {
      serve(Path.of(args[1]));
    } else {
      ask(Integer.parseInt(args[1]));
    }
  }

  static byte[] content() {
    byte[] content = new byte[FILE_BYTES];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) (i * 31 + (i >> 8) * 7 + (i >> 16));
    }
    return content;
  }

  // -- server ----------------------------------------------------------------------------------

  private static void serve(Path path) throws IOException {
    Files.write(path, content());
    try (ServerSocketChannel listener =
        ServerSocketChannel.open()
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      System.out.println("ready " + ((InetSocketAddress) listener.getLocalAddress()).getPort());
      try (SocketChannel channel = listener.accept();
          FileChannel file = FileChannel.open(path)) {
        answer(channel, file);
      }
    }
  }

  private static void answer(SocketChannel channel, FileChannel file) throws IOException {
    ByteBuffer request = ByteBuffer.allocate(REQUEST_BYTES);
    Io empty = Io.ofLooking();
    Io io = new Io(0, 0);
    long transfers = 0;
    while (fill(channel, request.clear())) {
      long position = request.flip().getLong();
      long count = request.getLong();
      if (position == REPORT) {
        System.out.println("io " + io.reads + " " + io.writes + " " + transfers);
        io = new Io(0, 0);
        transfers = 0;
        continue;
      }
      Io before = Io.now();
      for (long done = 0; done < count; transfers++) {
        done += file.transferTo(position + done, count - done, channel);
      }
      io = io.plus(before.until(Io.now())).minus(empty);
    }
  }

  /** System calls of this thread. */
  private record Io(long reads, long writes) {
    static Io now() throws IOException {
      try (RandomAccessFile io = new RandomAccessFile("/proc/thread-self/io", "r")) {
        byte[] text = new byte[1000];
        Matcher calls =
            CALLS.matcher(new String(text, 0, io.read(text), StandardCharsets.US_ASCII));
        if (!calls.matches()) {
          throw new IOException("no count of system calls");
        }
        return new Io(Long.parseLong(calls.group(1)), Long.parseLong(calls.group(2)));
      }
    }

    /** What a look costs; the first ones load classes. */
    static Io ofLooking() throws IOException {
      Io least = now().until(now());
      for (int i = 0; i < 10; i++) {
        Io next = now().until(now());
        least = next.reads < least.reads ? next : least;
      }
      return least;
    }

    Io until(Io later) {
      return new Io(later.reads - reads, later.writes - writes);
    }

    Io plus(Io more) {
      return new Io(reads + more.reads, writes + more.writes);
    }

    Io minus(Io less) {
      return new Io(reads - less.reads, writes - less.writes);
    }
  }

  // -- client ----------------------------------------------------------------------------------

  private static void ask(int port) throws IOException {
    byte[] content = content();
    try (SocketChannel channel =
            SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      System.out.println("done connected");
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ", -1);
        int piece = Integer.parseInt(words[0]);
        int times = Integer.parseInt(words[1]);
        for (int i = 0; i < times; i++) {
          int position = (int) ((long) i * (piece + 4097) % (FILE_BYTES - piece + 1));
          request(channel, position, piece);
          verify(channel, content, position, piece);
        }
        request(channel, REPORT, 0);
        System.out.println("done " + line);
      }
    }
  }

  private static void request(SocketChannel channel, long position, long count) throws IOException {
    ByteBuffer request = ByteBuffer.allocate(REQUEST_BYTES).putLong(position).putLong(count);
    request.flip();
    while (request.hasRemaining()) {
      channel.write(request);
    }
  }

  private static void verify(SocketChannel channel, byte[] content, int position, int count)
      throws IOException {
    ByteBuffer got = ByteBuffer.allocate(count);
    if (!fill(channel, got)) {
      throw new IOException("the stream ended early");
    }
    if (!got.flip().equals(ByteBuffer.wrap(content, position, count))) {
      throw new IOException("bytes from " + position + " on came changed");
    }
  }

  private static boolean fill(SocketChannel channel, ByteBuffer buffer) throws IOException {
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) < 0) {
        return false;
      }
    }
    return true;
  }
}
