package org.slipstream.it.guest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Two virtual machines with an Ethernet cable between them, or several, and perhaps a window of
 * memory that both see as the BAR of a PCI device. No process on this host needs a privilege for
 * that: the cable is a Unix-domain socket of the two emulators. That is {@code eth0}; others
 * follow.
 *
 * <p>Both run one script, which finds {@code GUEST_ID} in its environment. The guest's interface is
 * {@code eth0}; {@link #NETWORK} gives it the address {@code 10.78.0.GUEST_ID}.
 */
final class TwoGuests {
  /** Shell commands that give the guest its address. */
  static final String NETWORK =
      """
      modprobe virtio_net
      for i in $(seq 100); do [ -e /sys/class/net/eth0 ] && break; sleep 0.1; done
      ip link set eth0 up
      ip addr add 10.78.0.$GUEST_ID/24 dev eth0
      """;

  /**
   * Shell commands of both roles: guest 8 runs {@code SERVER}, a {@code PeerProgram} that is told
   * to echo at port 7000, until the {@code CLIENT} of the other one has ended.
   */
  static final String ROLES =
      """
      if [ $GUEST_ID = 8 ]; then
        { echo "1 listen l 7000 10.78.0.8"
          until grep -q "@1 ok" /job/server.log; do sleep 0.5; done
          echo "2 serve l echo"
          until [ -e /job/done ]; do sleep 0.5; done
        } | SERVER >/job/server.log 2>&1
        exit 0
      fi
      trap 'touch /job/done' EXIT
      CLIENT >/job/output 2>&1
      """;

  private final Path job;
  private final int seconds;
  private final Map<String, String> environment = new HashMap<>();
  private @Nullable Path window;
  private int cables = 1;
  private int megabytes = 1024;

  /**
   * Not booted yet.
   *
   * @param job a directory that both see as {@code /job}
   * @param seconds after which they are switched off
   */
  TwoGuests(Path job, int seconds) {
    this.job = job;
    this.seconds = seconds;
  }

  /** So many cables are between them. */
  TwoGuests withCables(int count) {
    cables = count;
    return this;
  }

  /** Each has so much memory, in megabytes. */
  TwoGuests withMemory(int megabytes) {
    this.megabytes = megabytes;
    return this;
  }

  /** They share so much memory; a power of two. */
  TwoGuests withWindow(long bytes) throws Exception {
    Path file = job.resolve("window");
    try (RandomAccessFile f = new RandomAccessFile(file.toFile(), "rw")) {
      f.setLength(bytes);
    }
    window = file;
    return this;
  }

  /** With something else than an emulator, for tests of this class. */
  TwoGuests withEmulator(Path program, Path cache) {
    environment.put("SLIPSTREAM_GUEST_EMULATOR", program.toString());
    environment.put("SLIPSTREAM_GUEST_CACHE", cache.toString());
    environment.put("SLIPSTREAM_GUEST_BOOT_SECONDS", "5");
    return this;
  }

  /** How the two ended. */
  record Outcome(int code, int otherCode, String console) {
    boolean isNotUp() {
      return code == Guest.NOT_UP || otherCode == Guest.NOT_UP;
    }
  }

  /**
   * Boots both and runs a script in each, until both have ended.
   *
   * @param first the id of the one
   * @param second the id of the other; ids have one digit
   * @param script run by a shell
   */
  Outcome run(int first, int second, String script) throws Exception {
    Files.writeString(job.resolve("job.sh"), script);
    Outcome outcome = runOnce(first, second);
    for (int boots = 1; boots < Guest.MOST_BOOTS && isToBeBootedAgain(outcome); boots++) {
      outcome = runOnce(first, second);
    }
    return outcome;
  }

  private boolean isToBeBootedAgain(Outcome outcome) throws IOException {
    return outcome.isNotUp() || Crash.beforeTests(Guest.output(job));
  }

  private Outcome runOnce(int first, int second) throws Exception {
    for (String ofTheLastBoot : List.of("done", "server.log", "output", "results")) {
      Files.deleteIfExists(job.resolve(ofTheLastBoot));
    }
    Path directory = Files.createTempDirectory("cable");
    List<Path> sockets =
        IntStream.range(0, cables).mapToObj(i -> directory.resolve("socket" + i)).toList();
    Process server = boot(first, sockets, "on");
    CompletableFuture<String> serverOutput = output(server);
    for (int i = 0; i < 500 && !sockets.stream().allMatch(Files::exists) && server.isAlive(); i++) {
      Thread.sleep(10);
    }
    Process client = boot(second, sockets, "off");
    try {
      CompletableFuture<String> clientOutput = output(client);
      endTogether(server, client);
      return new Outcome(
          server.waitFor(), client.waitFor(), serverOutput.get() + "\n" + clientOutput.get());
    } finally {
      server.destroy();
      client.destroy();
      for (Path socket : sockets) {
        Files.deleteIfExists(socket);
      }
      Files.delete(directory);
    }
  }

  /**
   * If one of them does not come up, the other one would wait until its deadline: it is switched
   * off.
   */
  private static void endTogether(Process one, Process other) {
    var _ = one.onExit().thenRun(() -> endIfNotUp(one, other));
    var _ = other.onExit().thenRun(() -> endIfNotUp(other, one));
  }

  private static void endIfNotUp(Process ended, Process other) {
    if (ended.exitValue() == Guest.NOT_UP) {
      other.toHandle().destroy(); // Process.destroy would close what its output is read from
    }
  }

  private Process boot(int id, List<Path> sockets, String server) throws Exception {
    List<String> command = new ArrayList<>(List.of(Guest.SCRIPTS.resolve("run").toString()));
    command.addAll(List.of("-m", Integer.toString(megabytes), "-t", Integer.toString(seconds)));
    command.addAll(List.of("-i", Integer.toString(id)));
    for (Path socket : sockets) {
      command.addAll(
          List.of("-n", "stream,server=" + server + ",addr.type=unix,addr.path=" + socket));
    }
    if (window != null) {
      command.addAll(List.of("-w", window.toString()));
    }
    command.addAll(Guest.shares());
    command.addAll(List.of(job.toString(), "job.sh"));
    ProcessBuilder boot = new ProcessBuilder(command).redirectErrorStream(true);
    boot.environment().putAll(environment);
    return boot.start();
  }

  private static CompletableFuture<String> output(Process process) {
    CompletableFuture<String> output = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          try {
            output.complete(new String(process.getInputStream().readAllBytes(), UTF_8));
          } catch (Exception e) {
            output.completeExceptionally(e);
          }
        });
    return output;
  }
}
