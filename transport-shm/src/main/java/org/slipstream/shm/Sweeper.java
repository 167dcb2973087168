package org.slipstream.shm;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.TransportHost;

/**
 * Removes what processes left that were killed. A process is dead if its control socket refuses:
 * the kernel closes the socket of a dead process, and a living one keeps its own open. If that was
 * wrong all the same, {@link Residence} of that process makes everything again. Reactor only.
 */
final class Sweeper {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.shm");

  /** A directory without a socket may belong to a process that is just starting. */
  private static final long YOUNG_MS = 5_000;

  private static final long[] RETRY_MS = {10, 100, 500, 2_000};

  private final TransportHost host;
  private final RuntimeDirectory directory;

  Sweeper(TransportHost host, RuntimeDirectory directory) {
    this.host = host;
    this.directory = directory;
  }

  void sweep() {
    for (Path entry : RuntimeDirectory.children(directory.scope())) {
      String name = String.valueOf(entry.getFileName());
      if (name.length() == RuntimeDirectory.NAME_DIGITS && !name.equals(directory.name())) {
        sweepOne(name);
      }
    }
  }

  void sweepOne(String process) {
    if (!process.equals(directory.name()) && isDead(process)) {
      directory.remove(process);
    }
  }

  /**
   * A session with the process ended: it is dying, or closed a session only. The kernel closes the
   * sockets of a dying process one after the other, so its control socket may still answer for a
   * moment.
   */
  void sweepSoon(String process) {
    sweepOne(process);
    for (long delayMs : RETRY_MS) {
      host.reactor().schedule(TimeUnit.MILLISECONDS.toNanos(delayMs), () -> sweepOne(process));
    }
  }

  private boolean isDead(String process) {
    Path socket = directory.socketOf(process);
    if (!Files.exists(socket)) {
      return olderThanYoung(directory.scope().resolve(process));
    }
    try (SocketChannel probe = host.openSocketChannel(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false);
      probe.connect(UnixDomainSocketAddress.of(socket));
      return false; // connected, or its backlog is full: alive
    } catch (java.net.ConnectException e) {
      return true;
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Can not tell whether " + process + " lives", e);
      return false;
    }
  }

  private static boolean olderThanYoung(Path dir) {
    try {
      return System.currentTimeMillis() - Files.getLastModifiedTime(dir).toMillis() > YOUNG_MS;
    } catch (IOException e) {
      return true; // gone already; its marks may not be
    }
  }
}
