package org.slipstream.agent.cli;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.config.HostSettings;
import org.slipstream.core.config.SlipstreamConfig;
import org.slipstream.transport.Availability;
import org.slipstream.transport.Transport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code slipstream doctor}: what is available here, or why not, and whether it really works. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    description =
        "Says what is available on this machine, or why not, and moves bytes over each transport.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      " 0:streams can leave TCP",
      " 1:every stream stays on TCP: no transport is available, or all are switched off",
      " 2:the command line is wrong",
      " 3:a transport that is there failed its exchange, or the settings are wrong",
      " 4:Java is older than 25"
    },
    exitCodeOnExecutionException = DoctorCommand.BROKEN)
final class DoctorCommand implements Callable<Integer> {
  private static final int WORKS = 0;
  private static final int NO_TRANSPORT = 1;

  /** Not 2: that is picocli's own code for a wrong command line. */
  static final int BROKEN = 3;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      converter = DirectoryName.class,
      description = "The runtime directory to check, if the processes set slipstream.dir.")
  private @Nullable String dir;

  @Option(names = "--no-exchange", description = "Do not move bytes; only look.")
  private boolean quick;

  /** Locked memory that a hundred streams over RDMA need, in bytes. */
  private static final long ENOUGH_TO_REGISTER = 64L << 20;

  private boolean warned;

  DoctorCommand() {}

  @Override
  public Integer call() {
    say("java", Machine.jdk());
    say("cores", Machine.cores());
    line("flags", flags());
    try {
      HostSettings.apply();
    } catch (SlipstreamConfig.InvalidConfigException e) {
      line("settings", "! " + e.getMessage());
      return verdict(BROKEN, "the settings are wrong, so every stream stays on TCP");
    }
    Properties settings = new Properties();
    settings.putAll(System.getProperties());
    if (dir != null) {
      settings.setProperty("slipstream.dir", dir);
    }
    SlipstreamConfig config;
    try {
      config = SlipstreamConfig.read(settings);
    } catch (SlipstreamConfig.InvalidConfigException e) {
      line("settings", "! " + e.getMessage());
      return verdict(BROKEN, "the settings are wrong, so every stream stays on TCP");
    }
    line("settings", changed(settings));
    try {
      String configured = config.runtimeDirectory(); // of --dir, or of the property
      say("directory", Machine.directory(configured));
    } catch (IOException e) {
      say("directory", new Machine.Finding(false, String.valueOf(e.getMessage())));
    }
    say("files", Machine.limit("Max open files", 1024, "each stream needs one; ulimit -n"));
    say(
        "memlock",
        Machine.limit(
            "Max locked memory",
            Machine.hasRdmaDevice() ? ENOUGH_TO_REGISTER : 0,
            "RDMA locks half a megabyte for each stream; ulimit -l"));
    say("sendfile", Machine.sendfile());
    for (String sentence : PassedBy.ofRunningProcesses(config.runtimeDirectory())) {
      say("netty", new Machine.Finding(false, sentence));
    }
    for (String sentence : RunningSessions.sentences(config.runtimeDirectory())) {
      line("sessions", sentence);
    }
    return transports(config, settings);
  }

  /** Settings that do not have their defaults, by the keys that users give them. */
  private static String changed(Properties settings) {
    String changed =
        settings.stringPropertyNames().stream()
            .filter(key -> key.startsWith(SlipstreamConfig.PREFIX))
            .sorted()
            .map(key -> key + "=" + settings.getProperty(key))
            .collect(Collectors.joining(", "));
    return changed.isEmpty() ? "all have their defaults" : changed + "; defaults otherwise";
  }

  /** Options of this JVM that matter to Slipstream; {@code JAVA_TOOL_OPTIONS} for example. */
  private static String flags() {
    List<String> flags =
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(f -> f.startsWith("-javaagent") || f.contains("slipstream"))
            .toList();
    return flags.isEmpty() ? "none that concern Slipstream" : String.join(" ", flags);
  }

  private int transports(SlipstreamConfig config, Properties settings) {
    boolean any = false;
    boolean failed = false;
    if (!quick) {
      line("tcp", exchange(settings, null));
    }
    for (Transport transport : ServiceLoader.load(Transport.class)) {
      String name = transport.name();
      Availability a = transport.availability();
      if (!a.available()) {
        line(name, "not available: " + a.reason());
      } else if (!config.transports().contains(name)) {
        line(name, "switched off by slipstream.transports: " + a.reason());
      } else if (quick) {
        any = true;
        line(name, "available: " + a.reason());
      } else {
        boolean works = tried(transport, a, config, settings);
        any |= works;
        failed |= !works;
      }
    }
    if (failed) {
      return verdict(BROKEN, "a transport is there but does not work");
    }
    if (!any) {
      return verdict(NO_TRANSPORT, "every stream stays on TCP");
    }
    return verdict(
        WORKS,
        warned ? "streams can leave TCP here; see the lines with !" : "streams can leave TCP");
  }

  /** What reaches other hosts only tries itself; the rest exchanges messages with this process. */
  private static boolean tried(
      Transport transport, Availability a, SlipstreamConfig config, Properties settings) {
    Availability own = transport.probe(config.transportSettings());
    if (own.equals(a)) {
      String outcome = exchange(settings, transport);
      line(transport.name(), outcome + "; " + a.reason());
      return !outcome.startsWith("!");
    }
    line(transport.name(), "available: " + a.reason());
    line("", (own.available() ? "works: " : "! does not work: ") + own.reason());
    return own.available();
  }

  private static String exchange(Properties settings, @Nullable Transport transport) {
    try {
      long nanos = new Exchange(settings, transport).medianNanos();
      return String.format(Locale.ROOT, "works: 64 B there and back in %.2f µs", nanos / 1000.0);
    } catch (IOException e) {
      return "! available, but the exchange failed: " + e.getMessage();
    }
  }

  private void say(String subject, Machine.Finding finding) {
    warned |= !finding.good();
    line(subject, (finding.good() ? "" : "! ") + finding.sentence());
  }

  private static int verdict(int code, String sentence) {
    line("verdict", sentence);
    return code;
  }

  private static void line(String subject, String sentence) {
    System.out.printf("%-11s %s%n", subject, sentence);
  }
}
