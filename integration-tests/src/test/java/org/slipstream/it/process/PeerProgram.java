package org.slipstream.it.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * An ordinary NIO program that does what its standard input says. A line {@code ID COMMAND
 * ARGUMENTS} is answered by {@code @ID ok …} or {@code @ID error …}, when the command has ended;
 * each runs on its own thread. It ends when its input ends.
 */
public final class PeerProgram {
  static final String HOST = "127.0.0.1";
  private static final int BACKLOG = 1024;

  private final Map<String, SocketChannel> channels = new ConcurrentHashMap<>();
  private final Map<String, ServerSocketChannel> listeners = new ConcurrentHashMap<>();

  private PeerProgram() {}

  /**
   * Reads commands.
   *
   * @param args none
   * @throws IOException without an input
   */
  public static void main(String[] args) throws IOException {
    PeerProgram program = new PeerProgram();
    System.out.println("@0 ready");
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line;
    while ((line = lines.readLine()) != null) {
      String[] words = line.split(" ", -1);
      Thread.ofPlatform()
          .daemon()
          .name("command-" + line)
          .start(() -> System.out.println("@" + words[0] + " " + program.answer(words)));
    }
  }

  private String answer(String[] words) {
    try {
      return run(words[1], words);
    } catch (Exception | LinkageError | InternalError e) {
      return "error " + e;
    }
  }

  private String run(String command, String[] w) throws Exception {
    switch (command) {
      case "listen" -> {
        return listen(w);
      }
      case "accept" -> channels.put(w[3], listeners.get(w[2]).accept());
      case "serve" -> serve(listeners.get(w[2]), w[3], w);
      case "connect" -> channels.put(w[2], connect(w.length > 4 ? w[4] : HOST, number(w[3])));
      case "connectFrom" -> channels.put(w[2], connect(w[4], number(w[3]), number(w[5])));
      case "connectMany" -> {
        return connectMany(w.length > 5 ? w[5] : HOST, w[2], number(w[3]), number(w[4]));
      }
      case "write" -> PeerTraffic.write(channel(w), Long.parseLong(w[3]), Long.parseLong(w[4]));
      case "pour" -> {
        return "ok " + PeerTraffic.pour(channel(w), number(w[3]), Long.parseLong(w[4]));
      }
      case "read", "readToEnd", "readVirtual", "readToEndVirtual" -> {
        return read(command, w);
      }
      case "writeToEnd" -> {
        return "ok " + PeerTraffic.writeToEnd(channel(w), Long.parseLong(w[3]));
      }
      case "exchange" ->
          PeerTraffic.exchange(channel(w), number(w[3]), number(w[4]), Long.parseLong(w[5]));
      case "exchangeToEnd" -> {
        return "ok " + PeerTraffic.exchangeToEnd(channel(w), number(w[3]), Long.parseLong(w[4]));
      }
      case "streams" -> {
        return "ok " + PeerStreams.asJson();
      }
      case "load" -> {
        return "ok " + PeerTraffic.load(channel(w), number(w[3]), Long.parseLong(w[4]));
      }
      case "enough" -> Enough.say();
      case "cut" -> PeerCuts.begin(w[2], number(w[3]), w.length > 4 ? w[4] : "");
      case "duel" ->
          PeerDuel.fight(
              channel(w), number(w[3]), number(w[4]), Long.parseLong(w[5]), Long.parseLong(w[6]));
      case "brief" -> {
        return "ok " + PeerTraffic.brief(number(w[2]), number(w[3]), Long.parseLong(w[4]));
      }
      case "busy" -> PeerTraffic.busy(number(w[2]), number(w[3]));
      case "counted" -> {
        return "ok " + PeerServers.counted();
      }
      case "meters" -> {
        return "ok " + PeerMeters.read();
      }
      case "bean" -> {
        return "ok " + PeerMeters.readBean();
      }
      case "cycles" -> cycles(number(w[2]), number(w[3]));
      case "soak" -> {
        return "ok " + soak(w);
      }
      case "exchangeMany" -> exchangeMany(w[2], number(w[3]), number(w[4]));
      case "connectToItself" -> channels.put(w[2], connectToItself());
      case "inline" -> channel(w).socket().setOOBInline(true);
      case "shutdown" -> channel(w).shutdownOutput();
      case "close" -> channels.remove(w[2]).close();
      case "closeMany" -> closeMany(w[2]);
      case "relay" -> {
        return "ok " + PeerRelay.open(w[2], w[3], number(w[4]));
      }
      case "unlisten" -> listeners.remove(w[2]).close();
      case "warm" -> warm();
      case "threads" -> {
        return "ok " + (w.length == 2 ? threads() : inside("." + w[2]));
      }
      default -> {
        return memory(command, w);
      }
    }
    return "ok";
  }

  private String memory(String command, String[] w) throws Exception {
    switch (command) {
      case "heap" -> {
        System.gc(); // there is nothing that runs meanwhile
        return "ok " + (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
      }
      case "echoAsynchronously" -> {
        return "ok " + PatientServers.echoAsynchronously();
      }
      case "failAllocations" -> ShortHeap.begin(w[2], number(w[3]), number(w[4]));
      case "endFailures" -> {
        return "ok " + ShortHeap.end();
      }
      case "fillHeap" -> {
        return "ok " + FullHeap.fill(number(w[2]));
      }
      default -> end(command, w);
    }
    return "ok";
  }

  private void end(String command, String[] w) throws IOException {
    switch (command) {
      case "exit" -> System.exit(0);
      case "writeAndExit" -> {
        PeerTraffic.write(channel(w), Long.parseLong(w[3]), Long.parseLong(w[4]));
        System.exit(0);
      }
      case "halt" -> Runtime.getRuntime().halt(0);
      default -> throw new IllegalArgumentException("no such command: " + command);
    }
  }

  private String read(String command, String[] w) throws Exception {
    if (command.endsWith("Virtual")) {
      return virtually(() -> read(command.replace("Virtual", ""), w));
    }
    if (command.equals("readToEnd")) {
      return "ok " + PeerTraffic.readToEnd(channel(w), Long.parseLong(w[3]));
    }
    PeerTraffic.read(channel(w), Long.parseLong(w[3]), Long.parseLong(w[4]));
    return "ok";
  }

  private static <T> T virtually(Callable<T> call) throws Exception {
    FutureTask<T> task = new FutureTask<>(call);
    Thread.ofVirtual().start(task);
    try {
      return task.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  private SocketChannel channel(String[] w) {
    return channels.get(w[2]);
  }

  /** {@code listen NAME [PORT [HOST]]}. */
  private String listen(String[] w) throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    int port = w.length > 3 ? number(w[3]) : 0;
    listener.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    if (w.length > 4) {
      listener.setOption(StandardSocketOptions.SO_REUSEPORT, true);
    }
    listener.bind(new InetSocketAddress(w.length > 4 ? w[4] : HOST, port), BACKLOG);
    listeners.put(w[2], listener);
    return "ok " + ((InetSocketAddress) listener.getLocalAddress()).getPort();
  }

  /** {@code serve LISTENER HABIT …}. */
  private static void serve(ServerSocketChannel listener, String habit, String[] w)
      throws IOException {
    switch (habit) {
      case "echo" -> PeerServers.serve(listener, PeerServers::echo);
      case "echoVirtual" -> PeerServers.serveOnVirtualThreads(listener, PeerServers::echo);
      case "count" -> PeerServers.serve(listener, PeerServers::count);
      case "echoMany" -> PeerServers.echoForMany(listener);
      case "echoSelector" -> PeerServers.echoWithSelector(listener);
      case "echoPatiently" -> PatientServers.echoWithSelector(listener);
      case "speak" -> {
        long count = Long.parseLong(w[4]);
        long seed = Long.parseLong(w[5]);
        PeerServers.serve(listener, c -> PeerTraffic.write(c, count, seed));
      }
      default -> throw new IllegalArgumentException("no such habit: " + habit);
    }
  }

  private static SocketChannel connect(String host, int port) throws IOException {
    return SocketChannel.open(new InetSocketAddress(host, port));
  }

  /** From a port that the test chooses. */
  private static SocketChannel connect(String host, int port, int from) throws IOException {
    SocketChannel channel = SocketChannel.open();
    channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    channel.bind(new InetSocketAddress(from));
    channel.connect(new InetSocketAddress(host, port));
    return channel;
  }

  /** What the kernel calls a simultaneous open, by one socket. */
  private static SocketChannel connectToItself() throws IOException {
    SocketChannel channel = SocketChannel.open();
    channel.bind(new InetSocketAddress(HOST, 0));
    channel.connect(channel.getLocalAddress());
    return channel;
  }

  /** Connects until it has so many or it fails: {@code ok N [why not more]}. */
  private String connectMany(String host, String prefix, int port, int count) {
    for (int i = 0; i < count; i++) {
      try {
        channels.put(prefix + i, connect(host, port));
      } catch (IOException e) {
        return "ok " + i + " " + e.getMessage();
      }
    }
    return "ok " + count;
  }

  /** Each connection in turn, so that all stay open and are used. */
  private void exchangeMany(String prefix, int rounds, int largest) throws IOException {
    for (Map.Entry<String, SocketChannel> e : channels.entrySet()) {
      if (e.getKey().startsWith(prefix)) {
        PeerTraffic.exchange(e.getValue(), rounds, largest, e.getKey().hashCode());
      }
    }
  }

  private void closeMany(String prefix) throws IOException {
    for (String name : new ArrayList<>(channels.keySet())) {
      if (name.startsWith(prefix)) {
        channels.remove(name).close();
      }
    }
  }

  /** Short connections; one in ten carries an exchange, one in a hundred breaks off. */
  private static void cycles(int port, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      try (SocketChannel channel = connect(HOST, port)) {
        if (i % 10 == 0) {
          PeerTraffic.exchange(channel, 1 + i % 30 / 10, 200, i);
        }
        if (i % 100 == 0) {
          channel.setOption(StandardSocketOptions.SO_LINGER, 0);
          channel.write(ByteBuffer.allocate(100));
        }
      }
    }
  }

  /** {@code soak PORT CONNECTIONS MILLIS SEED [HOST]}; every second one uses a selector. */
  private static long soak(String[] w) throws Exception {
    List<FutureTask<Long>> tasks = new ArrayList<>();
    String host = w.length > 6 ? w[6] : HOST;
    for (int i = 0; i < number(w[3]); i++) {
      PeerSoak soak =
          new PeerSoak(host, number(w[2]), Long.parseLong(w[5]) + i, Long.parseLong(w[4]));
      FutureTask<Long> task = new FutureTask<>(i % 2 == 0 ? soak::blocking : soak::selecting);
      tasks.add(task);
      Thread.ofPlatform().daemon().name("soak").start(task);
    }
    long total = 0;
    for (FutureTask<Long> task : tasks) {
      total += task.get();
    }
    return total;
  }

  /**
   * Talks to itself, so that whatever a program opens once is open, whichever peer it talks to
   * later.
   */
  private void warm() throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(HOST, 0));
      PeerServers.serve(listener, PeerServers::echo);
      int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
      try (SocketChannel channel = connect(HOST, port)) {
        long end = System.nanoTime() + 100_000_000;
        while (System.nanoTime() - end < 0) {
          PeerTraffic.exchange(channel, 10, 1000, end);
        }
      }
    }
  }

  /** Names of live threads, but for those that wait for a command to end. */
  private static String threads() {
    return String.join(
        ",",
        Thread.getAllStackTraces().keySet().stream()
            .filter(t -> t.isAlive() && !t.getName().startsWith("command-"))
            .map(t -> t.getName().replace(' ', '_'))
            .sorted()
            .toList());
  }

  /** How many threads are inside a class with a name that ends so. */
  private static long inside(String type) {
    return Thread.getAllStackTraces().values().stream()
        .filter(stack -> Arrays.stream(stack).anyMatch(f -> f.getClassName().endsWith(type)))
        .count();
  }
}
