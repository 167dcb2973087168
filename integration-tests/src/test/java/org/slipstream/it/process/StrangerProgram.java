package org.slipstream.it.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * What another user of the machine tries: {@code StrangerProgram DIRECTORY PID CTL PORT}. Each
 * attempt is a line {@code WHAT RESULT}; a result other than {@code denied} or {@code shown-out} is
 * a hole.
 */
public final class StrangerProgram {
  private static final int MAGIC = 0x534C4950;
  private static final int CROWD = 200;

  private StrangerProgram() {}

  /** An attempt; what it returns is the loot. */
  @FunctionalInterface
  private interface Attempt {
    String run() throws IOException;
  }

  /**
   * Tries everything.
   *
   * @param args directory, process id, control socket, TCP port
   * @throws IOException if the attempts can not even be made
   */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    String proc = "/proc/" + args[1];
    Path ctl = Path.of(args[2]);
    attempt("list-directory", () -> list(directory));
    attempt("make-entry", () -> Files.createFile(ctl.resolveSibling("slab-99")).toString());
    attempt("remove-entry", () -> remove(ctl));
    attempt("list-descriptors", () -> list(Path.of(proc, "fd")));
    attempt("list-mappings", () -> list(Path.of(proc, "map_files")));
    attempt("read-maps", () -> Files.readString(Path.of(proc, "maps")));
    attempt("open-memory", () -> open(proc + "/mem"));
    attempt("greet", () -> talk(ctl, hello()));
    attempt("ask-streams", () -> talk(ctl, ask("streams")));
    attempt("ask-rules", () -> talk(ctl, ask("rules off all")));
    attempt("crowd", () -> crowd(ctl));
    strangeConnections(Integer.parseInt(args[3]));
    System.out.println("done -");
  }

  private static void attempt(String what, Attempt attempt) {
    String result;
    try {
      result = attempt.run();
    } catch (IOException e) {
      result = "denied";
    }
    System.out.println(what + " " + result);
  }

  private static String list(Path directory) throws IOException {
    try (Stream<Path> list = Files.list(directory)) {
      return list.toList().toString();
    }
  }

  private static String remove(Path file) throws IOException {
    Files.delete(file);
    return "removed";
  }

  private static String open(String file) throws IOException {
    try (RandomAccessFile opened = new RandomAccessFile(file, "rw")) {
      return "open " + opened.length();
    }
  }

  private static ByteBuffer message(int kind, ByteBuffer body) {
    return ByteBuffer.allocate(5 + body.remaining())
        .putInt(body.remaining())
        .put((byte) kind)
        .put(body)
        .flip();
  }

  private static ByteBuffer hello() {
    return message(
        0, ByteBuffer.allocate(22).putInt(MAGIC).putShort((short) 1).putLong(5).putLong(6).flip());
  }

  private static ByteBuffer ask(String question) {
    return message(4, ByteBuffer.wrap(question.getBytes(StandardCharsets.UTF_8)));
  }

  /** Says something on the control socket; anything that comes back is a hole. */
  private static String talk(Path ctl, ByteBuffer words) throws IOException {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(ctl))) {
      int n;
      try {
        channel.write(words);
        n = channel.read(ByteBuffer.allocate(1000));
      } catch (IOException e) {
        return "shown-out"; // a reset
      }
      return n < 0 ? "shown-out" : "answered with " + n + " bytes";
    }
  }

  /** Stays connected in numbers. */
  private static String crowd(Path ctl) throws IOException {
    List<SocketChannel> open = new ArrayList<>();
    try {
      for (int i = 0; i < CROWD; i++) {
        open.add(SocketChannel.open(UnixDomainSocketAddress.of(ctl)));
      }
      for (SocketChannel channel : open) {
        if (isAnswered(channel)) {
          return "answered";
        }
      }
      return "shown-out";
    } finally {
      for (SocketChannel channel : open) {
        channel.close();
      }
    }
  }

  private static boolean isAnswered(SocketChannel channel) {
    try {
      channel.write(hello());
      return channel.read(ByteBuffer.allocate(100)) >= 0;
    } catch (IOException e) {
      return false; // shown out by a reset
    }
  }

  /** Its own TCP connections to the server are connections like any other: garbage is data. */
  private static void strangeConnections(int port) throws IOException {
    Random random = new Random(1);
    for (int i = 0; i < 20; i++) {
      try (SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port))) {
        byte[] garbage = new byte[16 + random.nextInt(100)];
        random.nextBytes(garbage);
        ByteBuffer back = ByteBuffer.allocate(garbage.length);
        channel.write(ByteBuffer.wrap(garbage));
        while (back.hasRemaining() && channel.read(back) >= 0) {
          Thread.onSpinWait();
        }
        System.out.println(
            "echo " + (Arrays.equals(garbage, back.array()) ? "shown-out" : "changed"));
      }
    }
  }
}
