package org.slipstream.it.process;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * What another user of the machine tries: {@code OtherUserProgram DIRECTORY PID PORT TARGETS
 * MILLIS}; each line of the file TARGETS is a path to open, or {@code ctl} and a control socket. A
 * flood lasts that long at least, and until a control byte comes on standard input. Each attempt is
 * a line {@code WHAT PATH RESULT}. The result is {@code denied} only if the kernel said so (EACCES
 * or EPERM), and {@code shown-out} if the victim closed the connection without a word.
 */
public final class OtherUserProgram {
  private static final int MAGIC = 0x534C4950;
  private static final int CROWD = 200;
  private static final int FLOODERS = 4;

  private OtherUserProgram() {}

  /** An attempt; what it returns is the loot. */
  @FunctionalInterface
  private interface Attempt {
    String run() throws Exception;
  }

  /**
   * Tries everything.
   *
   * @param args directory, process id, TCP port, file of targets, length of the flood
   * @throws IOException if the attempts can not even be made
   */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    Path proc = Path.of("/proc", args[1]);
    attempt("list", directory, () -> list(directory));
    attempt("list", proc.resolve("fd"), () -> list(proc.resolve("fd")));
    attempt("list", proc.resolve("map_files"), () -> list(proc.resolve("map_files")));
    attempt("read", proc.resolve("maps"), () -> Files.readString(proc.resolve("maps")));
    attempt("open", proc.resolve("mem"), () -> open(proc.resolve("mem"), StandardOpenOption.READ));
    attempt("move", directory, () -> move(directory));
    attempt("signal", proc, () -> signal(Long.parseLong(args[1])));
    List<Path> sockets = new ArrayList<>();
    for (String target : Files.readAllLines(Path.of(args[3]))) {
      if (target.startsWith("ctl ")) {
        sockets.add(Path.of(target.substring(4)));
      } else {
        Path path = Path.of(target);
        attempt("open-to-read", path, () -> open(path, StandardOpenOption.READ));
        attempt("open-to-write", path, () -> open(path, StandardOpenOption.WRITE));
      }
    }
    for (Path ctl : sockets) {
      attempt("make", ctl, () -> Files.createFile(ctl.resolveSibling("slab-99")).toString());
      attempt("remove", ctl, () -> remove(ctl));
      attempt("greet", ctl, () -> talk(ctl, hello()));
      attempt("ask-streams", ctl, () -> talk(ctl, ask("streams")));
      attempt("ask-rules", ctl, () -> talk(ctl, ask("off")));
      attempt("crowd", ctl, () -> crowd(ctl));
      attempt("flood", ctl, () -> flood(ctl, Long.parseLong(args[4])));
    }
    strangeConnections(Integer.parseInt(args[2]));
    System.out.println("done - -");
  }

  private static void attempt(String what, Path path, Attempt attempt) {
    String result;
    try {
      result = attempt.run();
    } catch (Exception e) {
      result = isDenial(e) ? "denied" : "failed:" + e;
    }
    System.out.println(what + " " + path + " " + result.replace(' ', '_'));
  }

  private static boolean isDenial(Exception e) {
    String message = String.valueOf(e.getMessage());
    return e instanceof AccessDeniedException
        || message.contains("Permission denied")
        || message.contains("Operation not permitted");
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

  private static String move(Path directory) throws IOException {
    Path there = directory.resolveSibling("stolen");
    return Files.move(directory, there, StandardCopyOption.ATOMIC_MOVE).toString();
  }

  private static String signal(long pid) throws IOException {
    if (ProcessHandle.of(pid).orElseThrow().destroyForcibly()) {
      return "sent";
    }
    throw new IOException("Operation not permitted"); // all that the JDK says
  }

  private static String open(Path file, OpenOption how) throws IOException {
    try (FileChannel opened = FileChannel.open(file, how)) {
      return "opened " + opened.size();
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
        0,
        ByteBuffer.allocate(30)
            .putInt(MAGIC)
            .putShort((short) 4)
            .putLong(5)
            .putLong(6)
            .putLong(7)
            .flip());
  }

  private static ByteBuffer ask(String question) {
    return message(4, ByteBuffer.wrap(question.getBytes(StandardCharsets.UTF_8)));
  }

  /** Says something on the control socket; anything that comes back is a hole. */
  private static String talk(Path ctl, ByteBuffer words) throws IOException {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(ctl))) {
      return answer(channel, words);
    }
  }

  private static String answer(SocketChannel channel, ByteBuffer words) {
    int n;
    try {
      channel.write(words);
      n = channel.read(ByteBuffer.allocate(1000));
    } catch (IOException e) {
      return "shown-out"; // a reset
    }
    return n < 0 ? "shown-out" : "answered with " + n + " bytes";
  }

  /** Stays connected in numbers. */
  private static String crowd(Path ctl) throws IOException {
    List<SocketChannel> open = new ArrayList<>();
    Set<String> answers = new TreeSet<>();
    try {
      for (int i = 0; i < CROWD; i++) {
        open.add(SocketChannel.open(UnixDomainSocketAddress.of(ctl)));
      }
      for (SocketChannel channel : open) {
        answers.add(answer(channel, hello()));
      }
      return String.join("+", answers);
    } finally {
      for (SocketChannel channel : open) {
        channel.close();
      }
    }
  }

  /** Many connections, one after the other, each with garbage, from several threads at once. */
  private static String flood(Path ctl, long millis) throws Exception {
    long end = System.nanoTime() + millis * 1_000_000;
    AtomicBoolean enough = new AtomicBoolean();
    List<FutureTask<Set<String>>> floods = new ArrayList<>();
    for (int i = 0; i < FLOODERS; i++) {
      Random random = new Random(i);
      FutureTask<Set<String>> flood =
          new FutureTask<>(() -> {
            Set<String> answers = new TreeSet<>();
            do {
              byte[] garbage = new byte[1 + random.nextInt(100_000)];
              random.nextBytes(garbage);
              answers.add(flooded(ctl, ByteBuffer.wrap(garbage)));
            } while (!enough.get() || System.nanoTime() - end < 0);
            return answers;
          });
      floods.add(flood);
      Thread.ofPlatform().daemon().start(flood);
    }
    System.out.println("flooding " + ctl + " -");
    if (System.in.read() < 0) {
      throw new EOFException("the input ended before the word that ends the program");
    }
    enough.set(true);
    Set<String> answers = new TreeSet<>();
    for (FutureTask<Set<String>> flood : floods) {
      answers.addAll(flood.get());
    }
    return String.join("+", answers);
  }

  private static String flooded(Path ctl, ByteBuffer garbage) {
    try {
      return talk(ctl, garbage);
    } catch (IOException e) {
      return isDenial(e) ? "denied" : "failed:" + e;
    }
  }

  /** Its own TCP connections to the server are connections like any other: garbage is data. */
  private static void strangeConnections(int port) throws IOException {
    Random random = new Random(1);
    for (int i = 0; i < 20; i++) {
      try (SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port))) {
        byte[] garbage = new byte[16 + random.nextInt(100)];
        random.nextBytes(garbage);
        garbage[0] = (byte) (i % 4); // control bytes, if this were not data
        ByteBuffer back = ByteBuffer.allocate(garbage.length);
        channel.write(ByteBuffer.wrap(garbage));
        while (back.hasRemaining() && channel.read(back) >= 0) {
          Thread.onSpinWait();
        }
        System.out.println(
            "echo " + port + (Arrays.equals(garbage, back.array()) ? " echoed" : " changed"));
      }
    }
  }
}
