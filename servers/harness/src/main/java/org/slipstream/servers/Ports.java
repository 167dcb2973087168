package org.slipstream.servers;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers that are started a moment later: below those that the kernel gives to
 * connections and listeners by itself, so that none of these takes one meanwhile; and none twice.
 * Any thread.
 */
final class Ports {
  private static final Path RANGE = Path.of("/proc/sys/net/ipv4/ip_local_port_range");

  /** Where there is no such file. */
  private static final int LOWEST_BY_DEFAULT = 32_768;

  /** Below are those of services; with a range that begins here, any port will do. */
  private static final int LOWEST = 10_000;

  private static final int HIGHEST = 65_536;
  private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

  private Ports() {}

  /**
   * A port at which no address of this host has a listener.
   *
   * @return free a moment ago, and not given out before by this process
   * @throws IOException without descriptors, for example
   */
  static int next() throws IOException {
    int lowestOfTheKernel = lowestOfTheKernel();
    int end = lowestOfTheKernel > LOWEST ? lowestOfTheKernel : HIGHEST;
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(LOWEST, end);
      if (isFree(port) && GIVEN.add(port)) {
        return port;
      }
    }
  }

  private static boolean isFree(int port) throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(false);
      socket.bind(new InetSocketAddress(port));
      return true;
    } catch (BindException e) {
      return false;
    }
  }

  /** The first port that the kernel chooses by itself. */
  static int lowestOfTheKernel() throws IOException {
    return Files.exists(RANGE)
        ? Integer.parseInt(Files.readString(RANGE).strip().split("\\s+", -1)[0])
        : LOWEST_BY_DEFAULT;
  }
}
