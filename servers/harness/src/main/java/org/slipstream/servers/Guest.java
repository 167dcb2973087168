package org.slipstream.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * The virtual machine of {@code integration-tests/guest}, whose kernel has RDMA in software.
 * Servers that are measured in there with TCP and with RDMA all listen at the address of its
 * device, and all take longer than elsewhere: its processors are emulated.
 */
public final class Guest {
  /** What {@code rdma-device} gives the device. */
  static final String DEVICE = "10.77.0.1";

  /** An emulated device is slower than TCP's loopback, which sends no packets: streams stay. */
  static final List<String> FLAGS =
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "-Dslipstream.transports=rdma",
          "-Dslipstream.rdma.slow=stay");

  private static final boolean HERE = Boolean.getBoolean("slipstream.servers.guest");

  /** How many times as long as elsewhere something is waited for. */
  private static final int SLOWER = 6;

  /** Of everything that is measured, its start included. */
  private static final int MOST_SECONDS = 3600;

  /** Properties that name the files which take rows. */
  private static final List<String> ROWS =
      List.of("slipstream.servers.table", "slipstream.servers.times", "slipstream.servers.json");

  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  private Guest() {}

  static boolean isHere() {
    return HERE;
  }

  /**
   * How long to wait.
   *
   * @param elsewhere seconds on an ordinary machine
   * @return seconds here
   */
  public static int seconds(int elsewhere) {
    return HERE ? SLOWER * elsewhere : elsewhere;
  }

  /**
   * Measures in a guest what a main class measures, and appends its rows to those of this run.
   *
   * @param program whose main method calls {@link Comparison}; its working directory is in memory
   * @param megabytes of the guest
   * @throws IOException if the guest can not be booted, or its program fails; with what it said
   * @throws InterruptedException as it says
   */
  public static void measure(Class<?> program, int megabytes)
      throws IOException, InterruptedException {
    Path scripts = ROOT.resolve("integration-tests/guest");
    Path job = Files.createTempDirectory(Path.of("target").toAbsolutePath(), "guest-");
    Files.writeString(job.resolve("job.sh"), script(program));
    run(List.of(scripts.resolve("build").toString()));
    try {
      run(
          List.of(
              scripts.resolve("run").toString(),
              "-m",
              Integer.toString(megabytes),
              "-t",
              Integer.toString(MOST_SECONDS),
              "-r",
              ROOT.toString(),
              "-r",
              System.getProperty("java.home"),
              "-r",
              Path.of(System.getProperty("user.home"), ".m2", "repository").toString(),
              job.toString(),
              "job.sh"));
    } finally {
      take(job); // rows that did not fail are there
    }
  }

  /** Appends what a job in a guest has measured. */
  private static void take(Path job) throws IOException {
    for (String property : ROWS) {
      Path rows = job.resolve(property);
      if (System.getProperty(property) != null && Files.exists(rows)) {
        Files.writeString(
            Path.of(System.getProperty(property)),
            Files.readString(rows),
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
      }
    }
  }

  private static String script(Class<?> program) {
    StringBuilder java = new StringBuilder();
    java.append(System.getProperty("java.home")).append("/bin/java -XX:+UseSerialGC");
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith("slipstream.")) {
        java.append(" '-D").append(name).append('=').append(value(name)).append('\'');
      }
    }
    java.append(" -Dslipstream.servers.guest=true -cp '").append(Run.classPath()).append("' ");
    java.append(program.getName());
    return """
    echo guest >/proc/sys/kernel/hostname
    printf '127.0.0.1 localhost\\n%s guest\\n' >/etc/hosts
    rdma-device >/dev/null || exit 1
    export JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1
    mkdir -p /tmp/run && cd /tmp/run
    %s
    code=$?
    ((code == 0)) || tail -n 30 target/*/*.out
    exit $code
    """
        .formatted(DEVICE, java);
  }

  private static String value(String property) {
    if (ROWS.contains(property)) {
      return "/job/" + property;
    }
    return property.equals("slipstream.jar")
        ? Path.of(System.getProperty(property)).toAbsolutePath().normalize().toString()
        : System.getProperty(property);
  }

  /** With its output as this process's own. */
  private static void run(List<String> command) throws IOException, InterruptedException {
    int code = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (code != 0) {
      throw new IOException(command.getFirst() + " ended with " + code);
    }
  }
}
