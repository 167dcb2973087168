package org.slipstream.benchmarks.driver;

import java.nio.file.Path;
import java.util.List;

/**
 * What {@code ./slipstream pages} is to do.
 *
 * @param jar the agent
 * @param jvmArguments for each measured JVM
 * @param directory where the file is made
 * @param fileBytes how long it is
 * @param ways how the file is read
 * @param rows which server, and over what
 * @param sizes bytes of an answer
 * @param clients connections at work
 * @param rounds turns of each row
 * @param turnMillis how long a turn takes
 * @param warmupMillis how long each pair runs before anything counts
 * @param check whether the clients compare every byte
 * @param pin whether server and clients have a core each
 */
public record PageSetup(
    Path jar,
    List<String> jvmArguments,
    Path directory,
    long fileBytes,
    List<Way> ways,
    List<Server> rows,
    List<Integer> sizes,
    List<Integer> clients,
    int rounds,
    long turnMillis,
    long warmupMillis,
    boolean check,
    boolean pin) {

  /** Where the file's bytes come from. */
  public enum Way {
    /** From the page cache. */
    CACHED,
    /** From the disk, past the page cache (O_DIRECT). */
    DIRECT;

    /** Returns the name that the command line and the reports use. */
    public String label() {
      return this == CACHED ? "cached" : "direct";
    }
  }

  /** A row: a carrier, and how the server sends. */
  public enum Server {
    /** Stock JDK, sendfile: what the others are compared with. */
    TCP_TRANSFER(Carrier.TCP, "transferTo"),
    /** Stock JDK, through a buffer of the program. */
    TCP_READ(Carrier.TCP, "read"),
    /** Slipstream. */
    SHM_TRANSFER(Carrier.SHM, "transferTo"),
    /** Slipstream, through a buffer of the program. */
    SHM_READ(Carrier.SHM, "read");

    private final Carrier carrier;
    private final String serve;

    Server(Carrier carrier, String serve) {
      this.carrier = carrier;
      this.serve = serve;
    }

    /** Returns what carries the answers. */
    public Carrier carrier() {
      return carrier;
    }

    /** Returns what the server calls: {@code transferTo} or {@code read}. */
    public String serve() {
      return serve;
    }
  }
}
