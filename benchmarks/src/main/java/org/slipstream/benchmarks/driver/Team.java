package org.slipstream.benchmarks.driver;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slipstream.benchmarks.programs.Report;
import org.slipstream.benchmarks.programs.Slice;
import org.slipstream.benchmarks.raw.RawProbe;

/** The pairs of one carrier; in its turn all of them work at the same time. */
final class Team implements AutoCloseable {
  /** Shared memory proper: a file that the kernel never writes anywhere. */
  private static final Path TMPFS = Path.of("/dev/shm");

  private final Carrier carrier;
  private final List<Pair> pairs = new ArrayList<>();

  private Team(Carrier carrier) {
    this.carrier = carrier;
  }

  /** Starts the pairs; the ports are counted from this one unless it is 0. */
  static Team start(Launcher launcher, Carrier carrier, int firstPort)
      throws BenchmarkFailure, InterruptedException {
    Team team = new Team(carrier);
    for (int i = 0; i < launcher.plan().pairs(); i++) {
      team.pairs.add(
          carrier == Carrier.RAW
              ? onRing(launcher)
              : Pair.onSockets(launcher, carrier, firstPort == 0 ? 0 : firstPort + i));
    }
    return team;
  }

  /** The file has a name only until both processes have mapped it. */
  private static Pair onRing(Launcher launcher) throws BenchmarkFailure, InterruptedException {
    try {
      Path file =
          Files.isWritable(TMPFS)
              ? Files.createTempFile(TMPFS, "slipstream-raw", "")
              : Files.createTempFile("slipstream-raw", "");
      file.toFile().deleteOnExit();
      try (RandomAccessFile length = new RandomAccessFile(file.toFile(), "rw")) {
        length.setLength(RawProbe.FILE_BYTES);
        return Pair.onRing(launcher, file);
      } finally {
        Files.deleteIfExists(file);
      }
    } catch (IOException noFile) {
      throw new BenchmarkFailure(
          "The file for the raw ring could not be made: " + noFile.getMessage(), noFile);
    }
  }

  Carrier carrier() {
    return carrier;
  }

  Round run(Slice slice) throws BenchmarkFailure, InterruptedException {
    long before = cpuNanos();
    for (Pair pair : pairs) {
      pair.begin(slice);
    }
    List<Report> reports = new ArrayList<>();
    for (Pair pair : pairs) {
      reports.add(pair.finish(slice));
    }
    long after = cpuNanos();
    return Round.of(reports, before < 0 || after < 0 ? -1 : after - before);
  }

  private long cpuNanos() {
    long sum = 0;
    for (Pair pair : pairs) {
      long nanos = pair.cpuNanos();
      if (nanos < 0) {
        return -1;
      }
      sum += nanos;
    }
    return sum;
  }

  List<Child> children() {
    return pairs.stream().flatMap(pair -> pair.children().stream()).toList();
  }

  @Override
  public void close() {
    pairs.forEach(Pair::close);
  }
}
