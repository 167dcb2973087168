package org.slipstream.it.programs;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.slipstream.testkit.TestDirectory;

/**
 * What {@code FileChannel.transferTo} moves: the stock JDK, ours on plain TCP, and ours on the
 * ring, one after the other and again, so that whatever else the machine does is fair to all. For a
 * quiet machine:
 *
 * <pre>
 * java -cp integration-tests/target/test-classes org.slipstream.it.programs.SendFileBenchmark \
 *     agent/target/slipstream.jar [rounds]
 * </pre>
 */
public final class SendFileBenchmark {
  private static final int FILE_BYTES = 64 << 20;
  private static final long MOVED = 1L << 30;
  private static final int[] PIECES = {4 << 10, 64 << 10, 1 << 20, FILE_BYTES};
  private static final int MOST_REQUESTS = 40_000;

  private SendFileBenchmark() {}

  /** A row: flags of the two JVMs. */
  private record Row(String name, List<String> server, List<String> client) {}

  public static void main(String[] args) throws Exception {
    switch (args[0]) {
      case "server" -> serve(Path.of(args[1]));
      case "client" -> ask(Integer.parseInt(args[1]));
      default -> compare(Path.of(args[0]), args.length > 1 ? Integer.parseInt(args[1]) : 5);
    }
  }

  private static void compare(Path jar, int rounds) throws Exception {
    TestDirectory home = TestDirectory.create();
    Path directory = home.path();
    Path file = Files.write(directory.resolve("file"), new byte[FILE_BYTES]);
    List<String> agent =
        List.of("-javaagent:" + jar, "-Dslipstream.dir=" + directory.resolve("run"));
    List<Row> rows =
        List.of(
            new Row("stock", List.of(), List.of()),
            new Row("plain", agent, List.of()),
            new Row("ring", agent, agent));
    double[][][] rates = new double[rows.size()][PIECES.length][rounds];
    double[][][] cpu = new double[rows.size()][PIECES.length][rounds];
    try {
      for (int round = 0; round < rounds; round++) {
        for (int r = 0; r < rows.size(); r++) {
          List<String> lines = run(rows.get(r), file);
          for (int p = 0; p < PIECES.length; p++) {
            String[] words = lines.get(p).split(" ", -1);
            rates[r][p][round] = Double.parseDouble(words[0]);
            cpu[r][p][round] = Double.parseDouble(words[1]);
          }
        }
        System.err.println("round " + (round + 1) + " of " + rounds);
      }
    } finally {
      home.close();
    }
    for (int p = 0; p < PIECES.length; p++) {
      for (int r = 0; r < rows.size(); r++) {
        double[] ratios = new double[rounds];
        for (int i = 0; i < rounds; i++) {
          ratios[i] = rates[r][p][i] / rates[0][p][i];
        }
        System.out.printf(
            Locale.ROOT,
            "%8d B a request, %-5s: %6.0f MB/s, %.2f of stock, %6.2f us of server CPU each%n",
            PIECES[p],
            rows.get(r).name(),
            median(rates[r][p]),
            median(ratios),
            median(cpu[r][p]));
      }
    }
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static List<String> run(Row row, Path file) throws Exception {
    Process server = start(row.server(), "server", file.toString());
    try (BufferedReader said = server.inputReader(StandardCharsets.UTF_8)) {
      Process client = start(row.client(), "client", said.readLine());
      List<String> lines = new ArrayList<>(said.readAllLines());
      if (client.waitFor() != 0 || server.waitFor() != 0) {
        throw new IOException(row.name() + " failed");
      }
      return lines;
    } finally {
      server.destroyForcibly();
    }
  }

  private static Process start(List<String> flags, String... args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(SendFileBenchmark.class.getName());
    command.addAll(List.of(args));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  // -- the two programs ------------------------------------------------------------------------

  private static int requests(int piece) {
    return (int) Math.min(MOST_REQUESTS, MOVED / piece);
  }

  private static void serve(Path path) throws IOException {
    try (ServerSocketChannel listener =
        ServerSocketChannel.open()
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      System.out.println(((InetSocketAddress) listener.getLocalAddress()).getPort());
      try (SocketChannel channel = listener.accept();
          FileChannel file = FileChannel.open(path)) {
        answer(channel, file, PIECES[0], 2000); // until it is on the ring, and compiled
        answer(channel, file, FILE_BYTES, 10);
        for (int piece : PIECES) {
          long cpu = cpuNanos();
          long begin = System.nanoTime();
          answer(channel, file, piece, requests(piece));
          double nanos = System.nanoTime() - begin;
          System.out.printf(
              Locale.ROOT,
              "%.1f %.3f%n",
              requests(piece) * (double) piece * 1e3 / nanos,
              (cpuNanos() - cpu) / 1e3 / requests(piece));
        }
      }
    }
  }

  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private static void answer(SocketChannel channel, FileChannel file, int piece, int times)
      throws IOException {
    ByteBuffer request = ByteBuffer.allocateDirect(1);
    for (int i = 0; i < times; i++) {
      if (channel.read(request.clear()) < 0) {
        throw new IOException("The client is gone");
      }
      long from = (long) i * piece % (FILE_BYTES - piece + 1);
      for (long done = 0; done < piece; ) {
        done += file.transferTo(from + done, piece - done, channel);
      }
    }
  }

  private static void ask(int port) throws IOException {
    try (SocketChannel channel =
        SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
      receive(channel, PIECES[0], 2000);
      receive(channel, FILE_BYTES, 10);
      for (int piece : PIECES) {
        receive(channel, piece, requests(piece));
      }
    }
  }

  private static void receive(SocketChannel channel, int piece, int times) throws IOException {
    ByteBuffer request = ByteBuffer.allocateDirect(1);
    ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
    for (int i = 0; i < times; i++) {
      channel.write(request.clear());
      for (long left = piece; left > 0; ) {
        int n = channel.read(buffer.clear().limit((int) Math.min(left, buffer.capacity())));
        if (n < 0) {
          throw new IOException("The server is gone");
        }
        left -= n;
      }
    }
  }
}
