package org.slipstream.agent.memory;

import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.config.SlipstreamConfig;
import org.slipstream.memory.Domain;
import org.slipstream.memory.MemoryDirectory;
import org.slipstream.memory.MemoryServer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** One-sided memory at the command line: {@code memory serve}. */
@Command(
    name = "memory",
    mixinStandardHelpOptions = true,
    description = "One-sided memory: 'serve' lends memory of this host to other processes.",
    subcommands = MemoryCommand.Serve.class)
public final class MemoryCommand implements Runnable {
  /** Made by picocli. */
  public MemoryCommand() {}

  @Override
  public void run() {
    CommandLine.usage(this, System.out);
  }

  /** Lends memory until its input, or the process, ends. */
  @Command(
      name = "serve",
      mixinStandardHelpOptions = true,
      description = {
        "Lends memory of this host to processes of the same user, which reserve it"
            + " (org.slipstream.memory.MemoryServers). All of it has storage in /dev/shm from the"
            + " start. Several servers may run: reservations are placed on all of them in turn.",
        "With --zookeeper it lends to processes on other hosts, too, over RDMA: to those that have"
            + " the same ZooKeeper and the same slipstream.key.",
        "Runs until it is ended (Ctrl-C). What was reserved is lost then."
      },
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {
        " 0:it was ended",
        " 1:there is not so much memory, processes can not share memory here, or ZooKeeper does"
            + " not answer",
        " 2:the command line is wrong",
        " 4:Java is older than 25"
      })
  static final class Serve implements Callable<Integer> {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,6})([kmgt])");
    private static final String UNITS = "kmgt";
    private static final Pattern ADDRESS = Pattern.compile("\\[?([^\\]]+)]?:(\\d{1,5})");
    private static final int MOST_PORT = 65535;
    private static final int PAGE = 4096;

    @Option(
        names = "--size",
        required = true,
        paramLabel = "SIZE",
        converter = Bytes.class,
        description = "How much to lend, such as 512m or 4g.")
    private long size;

    @Option(
        names = "--chunk",
        defaultValue = "64m",
        paramLabel = "SIZE",
        converter = Bytes.class,
        description = "Memory is lent in chunks of this size (default: ${DEFAULT-VALUE}).")
    private long chunk;

    @Option(
        names = "--dir",
        paramLabel = "DIR",
        description = "The runtime directory, if the processes set slipstream.dir.")
    private @Nullable Path dir;

    @Option(
        names = "--zookeeper",
        paramLabel = "HOST:PORT,...",
        description = "Where names and leases of several hosts are; needs --address.")
    private @Nullable String zooKeeper;

    @Option(
        names = "--address",
        paramLabel = "ADDRESS:PORT",
        description =
            "By which other hosts reach this process: an address of its RDMA device, and a port"
                + " that is free there.")
    private @Nullable String address;

    @Option(
        names = "--libraries",
        paramLabel = "DIR",
        description =
            "The jars of memory-zookeeper and of what it needs, if they are not on the class path.")
    private @Nullable Path libraries;

    @Option(
        names = "--set",
        paramLabel = "KEY=VALUE",
        description =
            "A setting of Slipstream without its prefix, for example key=/etc/slipstream/key. May be"
                + " given again.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Spec private @Nullable CommandSpec spec;

    Serve() {}

    /** Reads {@code 64m}. */
    static final class Bytes implements CommandLine.ITypeConverter<Long> {
      @Override
      public Long convert(String text) {
        Matcher m = SIZE.matcher(text.toLowerCase(Locale.ROOT));
        if (!m.matches()) {
          throw new CommandLine.TypeConversionException(
              "'" + text + "' is no size; write 512m or 4g");
        }
        return Long.parseLong(m.group(1)) << (10 * (UNITS.indexOf(m.group(2)) + 1));
      }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
      require(
          chunk != 0 && chunk % PAGE == 0 && size >= chunk,
          "--size has to hold one chunk at least, and --chunk is a multiple of 4k.");
      require(
          (zooKeeper == null) == (address == null), "--zookeeper and --address need each other.");
      require(zooKeeper != null || libraries == null, "--libraries are those of --zookeeper.");
      settings.forEach((name, value) -> System.setProperty(SlipstreamConfig.PREFIX + name, value));
      InetSocketAddress at = address == null ? null : address(address);
      long chunks = size / chunk;
      Progress progress = new Progress(chunks, System.err);
      try (Domain domain = dir == null ? Domain.open() : Domain.open(dir);
          MemoryDirectory directory =
              zooKeeper == null ? null : Directories.zooKeeper(zooKeeper, libraries);
          MemoryServer server = open(domain, directory, at, progress)) {
        System.out.printf(
            "Lending %d chunks of %d KiB as process %d%s; Ctrl-C ends it.%n",
            server.chunks(),
            chunk >> 10,
            ProcessHandle.current().pid(),
            at == null ? "" : " at " + address);
        Thread.currentThread().join(); // until the process is ended
      }
      return 0;
    }

    private void require(boolean right, String otherwise) {
      if (!right) {
        throw new ParameterException(Objects.requireNonNull(spec).commandLine(), otherwise);
      }
    }

    private InetSocketAddress address(String text) {
      Matcher m = ADDRESS.matcher(text);
      require(m.matches(), "--address is ADDRESS:PORT, such as 10.1.2.3:7100, not '" + text + "'.");
      String port = m.group(2);
      require(Integer.parseInt(port) <= MOST_PORT, "There is no port " + port + ".");
      InetSocketAddress at = new InetSocketAddress(m.group(1), Integer.parseInt(port));
      require(!at.isUnresolved(), "There is no address '" + m.group(1) + "'.");
      require(
          !at.getAddress().isAnyLocalAddress(),
          "--address is that by which other hosts reach this one, and not the wildcard.");
      return at;
    }

    private MemoryServer open(
        Domain domain,
        @Nullable MemoryDirectory directory,
        @Nullable InetSocketAddress at,
        Progress progress)
        throws IOException, InterruptedException {
      if (directory != null && at != null) {
        Closeable _ = domain.announce(at); // as long as the domain
      }
      try {
        return directory == null
            ? MemoryServer.open(domain, size, chunk, progress::made)
            : MemoryServer.open(domain, directory, size, chunk, progress::made);
      } catch (IOException e) {
        if (progress.made == size / chunk) {
          throw e; // it was not the memory
        }
        throw new IOException(
            ("there is room for %d of %d chunks of %d KiB (%s); lend less with --size, or make the"
                    + " file system larger, for example: mount -o remount,size=8g /dev/shm")
                .formatted(progress.made, size / chunk, chunk >> 10, e.getMessage()),
            e);
      }
    }
  }

  /** A line for each tenth. */
  private static final class Progress {
    private static final long LINES = 10;

    private final long all;
    private final PrintStream err;
    private int made;

    Progress(long all, PrintStream err) {
      this.all = all;
      this.err = err;
    }

    void made(int chunks) {
      made = chunks;
      if (chunks * LINES / all > (chunks - 1) * LINES / all) {
        err.println("slipstream memory serve: " + chunks + " of " + all + " chunks");
      }
    }
  }
}
