package org.slipstream.it.process;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Faults that a process brings on itself or on its host, half a second after it was told: on
 * another host there is no test beside it that could.
 */
final class PeerCuts {
  private static final String DEVICE = "[A-Za-z0-9._@-]{1,15}";

  private PeerCuts() {}

  /**
   * Begins one.
   *
   * @param kind {@code kill}, or {@code stop}: this process stands still, or {@code link}: a
   *     network device is down
   * @param seconds until it goes on, or the device is up
   * @param device of {@code link}
   */
  static void begin(String kind, int seconds, String device)
      throws IOException, InterruptedException {
    long pid = ProcessHandle.current().pid();
    start(
        switch (kind) {
          case "kill" -> "kill -KILL " + pid;
          case "stop" -> "kill -STOP %d; sleep %d; kill -CONT %d".formatted(pid, seconds, pid);
          case "link" -> link(device, seconds);
          default -> throw new IllegalArgumentException("no such fault: " + kind);
        });
  }

  private static String link(String device, int seconds) throws IOException, InterruptedException {
    if (!device.matches(DEVICE)) {
      throw new IllegalArgumentException("no name of a device: " + device);
    }
    List<String> harmless = List.of("ip", "link", "set", device, "up");
    Process up = new ProcessBuilder(harmless).redirectErrorStream(true).start();
    String said = new String(up.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (up.waitFor() != 0) {
      throw new IOException(said.strip());
    }
    return "ip link set %s down; sleep %d; ip link set %s up".formatted(device, seconds, device);
  }

  private static void start(String script) throws IOException {
    new ProcessBuilder("sh", "-c", "sleep 0.5; " + script)
        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }
}
