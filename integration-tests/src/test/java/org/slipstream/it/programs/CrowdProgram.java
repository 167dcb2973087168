package org.slipstream.it.programs;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;

/**
 * Many virtual threads, each blocking in the streams of its own socket. The client's threads stamp
 * their messages; a line of input asks it whether all of them make progress still.
 */
public final class CrowdProgram {
  private static final int MORE_ROUNDS = 3;
  private static final int WARM_UP = 5;
  private static final Duration PAUSE = Duration.ofMillis(300);

  private CrowdProgram() {}

  public static void main(String[] args) throws Exception {
    Path file = Path.of(args[args.length - 1]);
    if (args[0].equals("client")) {
      int port = Integer.parseInt(args[1]);
      AtomicLongArray first = new AtomicLongArray(1);
      meet(port, first, new AtomicReference<>(""));
      record(file, () -> client(port, Integer.parseInt(args[2])));
      return;
    }
    ServerSocket listener = new ServerSocket(0, 4096, InetAddress.getLoopbackAddress());
    say("ready " + listener.getLocalPort());
    Socket first = listener.accept();
    Thread.startVirtualThread(() -> echo(first)).join();
    record(
        file,
        () -> {
          Thread.startVirtualThread(() -> acceptAll(listener));
          awaitLine();
        });
  }

  /** What is recorded. */
  @FunctionalInterface
  private interface Life {
    void live() throws Exception;
  }

  /**
   * Counts the threads that hold their carriers while they wait, but for those that wait for a
   * class: most are loaded already, by the stream before the crowd.
   */
  private static void record(Path file, Life life) throws Exception {
    try (Recording recording = new Recording()) {
      Pins.enable(recording);
      recording.start();
      life.live();
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> pinned = Pins.of(file);
    pinned.forEach(System.err::println);
    say("pinned " + pinned.size());
    awaitLine();
    System.exit(0);
  }

  /** One stream that comes before the crowd and goes to the ring. */
  private static void meet(int port, AtomicLongArray rounds, AtomicReference<String> failure)
      throws Exception {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    Thread talking = Thread.startVirtualThread(() -> talk(socket, 0, rounds, failure));
    awaitRounds(rounds, new long[] {WARM_UP}, failure);
    talking.interrupt();
    talking.join();
  }

  private static void client(int port, int crowd) throws Exception {
    AtomicLongArray rounds = new AtomicLongArray(crowd);
    AtomicReference<String> failure = new AtomicReference<>("");
    for (int i = 0; i < crowd; i++) {
      int number = i;
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      Thread.startVirtualThread(() -> talk(socket, number, rounds, failure));
    }
    awaitRounds(rounds, new long[crowd], failure);
    say("crowd " + crowd);
    awaitLine();
    long[] before = new long[crowd];
    for (int i = 0; i < crowd; i++) {
      before[i] = rounds.get(i);
    }
    awaitRounds(rounds, before, failure);
    say("progress " + crowd);
  }

  private static void talk(
      Socket socket, int number, AtomicLongArray rounds, AtomicReference<String> failure) {
    try (socket) {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      DataInputStream in = new DataInputStream(socket.getInputStream());
      for (; ; ) {
        long stamp = ((long) number << 32) + rounds.get(number);
        out.writeLong(stamp);
        if (in.readLong() != stamp) {
          throw new IOException("a message of " + number + " came back changed");
        }
        rounds.incrementAndGet(number);
        Thread.sleep(PAUSE);
      }
    } catch (IOException e) {
      failure.set(e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until each thread has gone on for some rounds. */
  private static void awaitRounds(
      AtomicLongArray rounds, long[] before, AtomicReference<String> failure) throws Exception {
    for (int i = 0; i < before.length; i++) {
      while (rounds.get(i) < before[i] + MORE_ROUNDS) {
        if (!failure.get().isEmpty()) {
          throw new IOException(failure.get());
        }
        Thread.sleep(10);
      }
    }
  }

  private static void acceptAll(ServerSocket listener) {
    for (; ; ) {
      try {
        Socket socket = listener.accept();
        Thread.startVirtualThread(() -> echo(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private static void echo(Socket socket) {
    byte[] message = new byte[64];
    try (socket) {
      int n = socket.getInputStream().read(message);
      while (n >= 0) {
        socket.getOutputStream().write(message, 0, n);
        n = socket.getInputStream().read(message);
      }
    } catch (IOException e) {
      return; // the client is gone
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private static void awaitLine() throws IOException {
    while (System.in.read() > '\n') {
      // until the end of the line, or of the input
    }
  }
}
