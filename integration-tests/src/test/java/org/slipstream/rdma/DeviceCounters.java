package org.slipstream.rdma;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What RDMA devices count of their own work: it does not pass the counters of network devices. The
 * kernel looks at its counters every ten milliseconds at most.
 */
public final class DeviceCounters {
  /** After so long the counters are those of now. */
  static final long KERNEL_LOOKS_MS = 20;

  private DeviceCounters() {}

  /** Whether the devices count: Soft-iWARP does not. */
  public static boolean exist() {
    return !ports().isEmpty();
  }

  /** Packets that were sent. */
  public static long packets() throws IOException {
    return sum("sent_pkts");
  }

  /**
   * How often a message found no receive at its queue pair: counted where it came, and where the
   * answer came. 0 if the devices do not count.
   */
  public static long receiversNotReady() throws IOException, InterruptedException {
    Thread.sleep(KERNEL_LOOKS_MS);
    return exist() ? sum("send_rnr_err") + sum("rcvd_rnr_err") : 0;
  }

  private static long sum(String counter) throws IOException {
    long sum = 0;
    for (Path port : ports()) {
      sum += Long.parseLong(Files.readString(port.resolve(counter)).strip());
    }
    return sum;
  }

  private static List<Path> ports() {
    try (Stream<Path> devices = Files.list(Path.of("/sys/class/infiniband"))) {
      return devices
          .map(device -> device.resolve("ports/1/hw_counters"))
          .filter(port -> Files.exists(port.resolve("sent_pkts")))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
