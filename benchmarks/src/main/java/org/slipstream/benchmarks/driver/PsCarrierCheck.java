package org.slipstream.benchmarks.driver;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Reads the counters of {@code slipstream ps --json} and compares them with those of last time. */
final class PsCarrierCheck implements CarrierCheck {
  private static final long PATIENCE_SECONDS = 30;

  /**
   * A stream may send its first bytes plain; more than one byte in a hundred is another carrier.
   */
  private static final long TOLERATED_SHARE = 100;

  private final Source source;
  private final Map<Long, Traffic> last = new HashMap<>();

  /** Where the text comes from. */
  @FunctionalInterface
  interface Source {
    /** Returns what {@code slipstream ps --json} says now. */
    String ps() throws IOException, InterruptedException;
  }

  PsCarrierCheck(Source source) {
    this.source = source;
  }

  /** Returns a check that runs the command of this jar. */
  static PsCarrierCheck ofJar(Path jar) {
    return new PsCarrierCheck(() -> run(jar));
  }

  @Override
  public Optional<String> verify(Collection<Long> pids) throws InterruptedException {
    Map<Long, Traffic> now;
    try {
      now = Traffic.byProcess(source.ps());
    } catch (IOException | IllegalArgumentException unreadable) {
      return Optional.of("slipstream ps gave no answer: " + unreadable.getMessage());
    }
    Optional<String> complaint = Optional.empty();
    for (long pid : pids) {
      Traffic traffic = now.get(pid);
      if (traffic == null) {
        return Optional.of("slipstream ps does not know process " + pid);
      }
      Traffic since = traffic.since(last.getOrDefault(pid, Traffic.NONE));
      last.put(pid, traffic);
      if (complaint.isEmpty()) {
        complaint = complaint(pid, since);
      }
    }
    return complaint;
  }

  /**
   * Looks at processes that count nothing. Bytes over the ring are no count: the ring's positions
   * say how many there were.
   */
  Optional<String> verifyUncounted(Collection<Long> pids) throws InterruptedException {
    try {
      Map<Long, Traffic> now = Traffic.byProcess(source.ps());
      for (long pid : pids) {
        Traffic traffic = now.getOrDefault(pid, Traffic.NONE);
        if (traffic.rings() == 0) {
          return Optional.of("process " + pid + " has no stream on a ring: " + traffic.why());
        }
        if (traffic.messages() > 0) {
          return Optional.of("process " + pid + " counts although it should not");
        }
      }
      return Optional.empty();
    } catch (IOException | IllegalArgumentException unreadable) {
      return Optional.of("slipstream ps gave no answer: " + unreadable.getMessage());
    }
  }

  private static Optional<String> complaint(long pid, Traffic since) {
    if (since.rings() == 0) {
      return Optional.of("process " + pid + " has no stream on a ring: " + since.why());
    }
    if (since.ringOut() == 0 || since.ringIn() == 0) {
      return Optional.of("process " + pid + " moved no bytes over a ring: " + since.why());
    }
    long ring = since.ringOut() + since.ringIn();
    long plain = since.plainOut() + since.plainIn();
    if (plain > ring / TOLERATED_SHARE) {
      return Optional.of(
          "process %d moved %d bytes over the ring and %d over TCP: %s"
              .formatted(pid, ring, plain, since.why()));
    }
    return Optional.empty();
  }

  static String run(Path jar) throws IOException, InterruptedException {
    Path answer = Files.createTempFile("slipstream-ps", ".json");
    try {
      Process process =
          new ProcessBuilder(Launcher.javaCommand(), "-jar", jar.toString(), "ps", "--json")
              .redirectOutput(answer.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try {
        if (!process.waitFor(PATIENCE_SECONDS, SECONDS)) {
          throw new IOException("no end after " + PATIENCE_SECONDS + " seconds");
        }
      } finally {
        process.destroyForcibly();
      }
      if (process.exitValue() != 0) {
        throw new IOException("exit code " + process.exitValue());
      }
      return Files.readString(answer, StandardCharsets.UTF_8);
    } finally {
      Files.deleteIfExists(answer);
    }
  }
}
