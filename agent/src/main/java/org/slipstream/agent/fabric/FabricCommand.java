package org.slipstream.agent.fabric;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.config.HostSettings;
import org.slipstream.core.config.SlipstreamConfig;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.core.status.BuildInfo;
import org.slipstream.provider.nio.Installation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code slipstream fabric}: which transports join two hosts, why others do not, how fast. */
@Command(
    name = "fabric",
    mixinStandardHelpOptions = true,
    description = {
      "Checks which transports join this host and another one, why others do not, and how fast"
          + " they are beside TCP.",
      "Start 'slipstream fabric serve' on the other host first."
    },
    subcommands = FabricCommand.Serve.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      " 0:each transport that both ends have joins them, and one at least; or those of --expect do",
      " 1:only TCP joins them, or a transport that was expected to does not",
      " 2:the command line is wrong",
      " 3:there was no check: no connection, no 'fabric serve' there, another version, or the other"
          + " end went away",
      " 4:Java is older than 25"
    },
    exitCodeOnExecutionException = Verdict.NO_CHECK)
public final class FabricCommand implements Callable<Integer> {
  /** Where the server listens unless it is told otherwise; no service has it by registration. */
  private static final int PORT = 18600;

  private static final double LONGEST_S = 10;

  /** What both commands have. */
  static final class Common {
    @Option(
        names = "--port",
        paramLabel = "PORT",
        description = "The TCP port of the server; default: ${DEFAULT-VALUE}.")
    private int port = PORT;

    @Option(
        names = "--set",
        paramLabel = "KEY=VALUE",
        description =
            "A setting of Slipstream without its prefix, for example key=/etc/slipstream/key.")
    private Map<String, String> settings = new LinkedHashMap<>();

    /** A check measures RDMA also where a service would leave it for TCP. */
    private static final String WHEN_SLOW = SlipstreamConfig.PREFIX + "rdma.slow";

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    ParameterException wrong(String sentence) {
      return new ParameterException(Objects.requireNonNull(spec).commandLine(), sentence);
    }

    /** Of this process, too: transports read their settings there. */
    SlipstreamConfig apply() {
      settings.forEach((key, value) -> System.setProperty(SlipstreamConfig.PREFIX + key, value));
      if (port < 0 || port > 0xFFFF) {
        throw wrong("--port needs a number from 1 to 65535.");
      }
      try {
        HostSettings.apply();
        System.getProperties().putIfAbsent(WHEN_SLOW, "stay");
        return SlipstreamConfig.read(System.getProperties());
      } catch (SlipstreamConfig.InvalidConfigException e) {
        throw wrong(String.valueOf(e.getMessage()));
      }
    }
  }

  /** The other end. */
  @Command(
      name = "serve",
      mixinStandardHelpOptions = true,
      description = {
        "Waits for 'slipstream fabric HOST' of other hosts, until Ctrl-C.",
        "It opens one TCP port, at all addresses of this host unless --bind names one, and what the"
            + " transports open for a listener there. A client needs no key for the check itself:"
            + " one check runs at a time, for five minutes at most."
      },
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {
        " 0:a check has ended, with --once",
        " 1:it can not listen",
        " 2:the command line is wrong",
        " 4:Java is older than 25"
      })
  static final class Serve implements Callable<Integer> {
    @Mixin private Common common = new Common();

    @Option(
        names = "--bind",
        paramLabel = "ADDRESS",
        description = "Listen at this address only; default: all of this host.")
    private @Nullable String bind;

    @Option(names = "--once", description = "End when the first check has ended.")
    private boolean once;

    @Option(
        names = "--beside",
        description =
            "Let clients start ib_write_lat, ib_write_bw, rping and SISCI's own tools here, where"
                + " they are installed, for 'fabric HOST --beside'.")
    private boolean beside;

    Serve() {}

    private static void say(String line) {
      System.out.println(line);
    }

    @Override
    public Integer call() throws IOException {
      SlipstreamConfig config = common.apply();
      InetSocketAddress address =
          bind == null
              ? new InetSocketAddress(common.port)
              : new InetSocketAddress(bind, common.port);
      if (address.isUnresolved()) {
        throw common.wrong("--bind=" + bind + " is no address of this host.");
      }
      HostReport ofThis = HostReport.ofThisMachine(config, BuildInfo.current().version());
      HostReport report = beside ? ofThis.withBeside() : ofThis;
      Installation installation =
          Installation.create(
              System.getProperties(),
              SlipstreamCore.installedTransports(FabricCommand.class.getClassLoader()));
      try (FabricServer server =
          new FabricServer(
              installation,
              address,
              report,
              Serve::say,
              beside ? VendorTools.ofThisMachine() : null)) {
        InetSocketAddress bound = server.address();
        System.out.println(
            "fabric: listens at "
                + (bound.getAddress().isAnyLocalAddress()
                    ? "all addresses"
                    : bound.getAddress().getHostAddress())
                + ", port "
                + bound.getPort()
                + ", until Ctrl-C; every host that reaches it may run a check"
                + (bind == null ? " (--bind ADDRESS narrows it)" : ""));
        report
            .transports()
            .forEach(transport ->
                System.out.println(
                    "fabric: "
                        + transport.name()
                        + (transport.available() ? ": " : " is not available: ")
                        + transport.reason()));
        server.serve(once);
      } finally {
        SlipstreamCore core = installation.unwrap(SlipstreamCore.class);
        if (core != null) {
          core.stop();
        }
      }
      return 0;
    }
  }

  @Mixin private Common common = new Common();

  @Parameters(arity = "0..1", paramLabel = "HOST", description = "The other host.")
  private @Nullable String host;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "How long each size is measured over each way, up to 10; default: ${DEFAULT-VALUE}.")
  private double seconds = 1;

  @Option(
      names = "--expect",
      split = ",",
      paramLabel = "TRANSPORT",
      description = "End with 1 unless these join the two hosts: shm, ntb, rdma.")
  private List<String> expected = new ArrayList<>();

  @Option(names = "--json", description = "Print JSON for programs, in one line.")
  private boolean json;

  @Option(
      names = "--beside",
      description =
          "Run ib_write_lat, ib_write_bw, rping and SISCI's own tools between the two ends, too,"
              + " where both have them; the other end needs 'fabric serve --beside'. They do not"
              + " change the exit code.")
  private boolean beside;

  /** Made by picocli. */
  public FabricCommand() {}

  @Override
  public Integer call() throws IOException {
    SlipstreamConfig config = common.apply();
    String server = host;
    if (server == null) {
      throw common.wrong("Name the other host, or 'serve'.");
    }
    if (!(seconds > 0 && seconds <= LONGEST_S)) { // NaN is neither
      throw common.wrong("--seconds needs a number above 0, 10 at most.");
    }
    for (String name : expected) {
      if (!List.of("shm", "ntb", "rdma").contains(name)) {
        throw common.wrong("--expect names '" + name + "'; known are shm, ntb, rdma.");
      }
    }
    HostReport here = HostReport.ofThisMachine(config, BuildInfo.current().version());
    Properties settings = new Properties();
    settings.putAll(System.getProperties());
    Consumer<String> progress = what -> System.err.println("fabric: " + what);
    try (FabricCheck check =
        new FabricCheck(server, common.port, here, settings, seconds, progress)) {
      FabricOutcome outcome = check.run();
      int code = Verdict.code(outcome, expected);
      VendorTools tools = VendorTools.ofThisMachine();
      List<Beside> measured = beside ? check.beside(outcome, tools) : List.of();
      List<String> lines =
          measured.isEmpty() ? tools.lines(here, outcome.there(), server) : List.of();
      if (json) {
        System.out.println(FabricReport.json(outcome, lines, measured, code));
      } else {
        FabricReport.text(outcome, lines, measured, code).forEach(System.out::println);
      }
      return code;
    }
  }
}
