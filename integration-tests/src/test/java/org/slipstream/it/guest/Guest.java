package org.slipstream.it.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.slipstream.testkit.Requirement;

/**
 * A virtual machine whose kernel has RDMA devices in software, made and booted by the scripts in
 * {@code integration-tests/guest}. It has its own JVM, and sees this one's class path.
 */
final class Guest {
  static final Path SCRIPTS = Path.of("guest").toAbsolutePath();

  /** The JDK of this JVM; the guest sees it at the same place. */
  static final Path JAVA = Path.of(System.getProperty("java.home"));

  /** {@code EX_UNAVAILABLE}: the scripts say so if this machine can not. */
  private static final int UNAVAILABLE = 69;

  /** {@code EX_TEMPFAIL}: the guest did not come up. */
  static final int NOT_UP = 75;

  static final int MOST_BOOTS = 3;

  private static final int MEMORY_MB = 1536;

  /** What all JVMs inside have; and files are to know our channels: see FileSeamsOfThisJvm. */
  private static final List<String> JVM =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "--enable-native-access=ALL-UNNAMED",
          "-XX:+EnableDynamicAgentLoading",
          "-Djdk.attach.allowAttachSelf=true",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");

  private Guest() {}

  /** Builds the guest if there is none; skips the test on a machine that can not, but not in CI. */
  static void build() throws Exception {
    make("a guest with RDMA devices", SCRIPTS.resolve("build"));
  }

  /** As {@link #build}, for the kernel module of Soft-iWARP; returns where it is. */
  static Path buildSoftIwarp() throws Exception {
    build();
    return Path.of(make("a guest with RDMA devices", SCRIPTS.resolve("build-siw")));
  }

  /**
   * Runs a script that makes something; returns the last line that it prints. Skips the test, but
   * not in CI, where the script says that this machine can not have it.
   */
  static String make(String what, Path script, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(script.toString()));
    command.addAll(List.of(arguments));
    Process build = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(build.getInputStream().readAllBytes(), UTF_8).strip();
    int code = build.waitFor();
    Requirement.require(code != UNAVAILABLE, what + ": " + output);
    assertThat(code).as(output).isZero();
    return output.substring(output.lastIndexOf('\n') + 1);
  }

  /** What came of a boot. */
  record Outcome(int code, String console, Path job) {}

  /**
   * Boots the guest and runs JUnit classes in one JVM there.
   *
   * @param job an empty directory for the results
   * @param seconds after which it is switched off
   * @param devices the command that makes the RDMA device
   * @param flags of the JVM
   * @param rows names of classes, each perhaps with {@code #method}
   */
  static Outcome run(Path job, int seconds, String devices, List<String> flags, List<String> rows)
      throws Exception {
    Files.writeString(
        job.resolve("job.sh"),
        devices
            + " || exit 1\nexec "
            + String.join(" ", command(flags, rows))
            + " >/job/output 2>&1\n");

    List<String> boot = new ArrayList<>(List.of(SCRIPTS.resolve("run").toString()));
    boot.addAll(List.of("-m", Integer.toString(MEMORY_MB), "-t", Integer.toString(seconds)));
    boot.addAll(shares());
    boot.addAll(List.of(job.toString(), "job.sh"));
    Outcome outcome = boot(boot, job);
    for (int boots = 1; boots < MOST_BOOTS && isToBeBootedAgain(outcome); boots++) {
      outcome = boot(boot, job);
    }
    return outcome;
  }

  private static boolean isToBeBootedAgain(Outcome outcome) throws IOException {
    return outcome.code == NOT_UP || Crash.beforeTests(output(outcome.job));
  }

  /** What the JVM inside has said; nothing if there was none. */
  static String output(Path job) throws IOException {
    Path output = job.resolve("output");
    return Files.exists(output) ? Files.readString(output) : "";
  }

  private static Outcome boot(List<String> command, Path job) throws Exception {
    Files.deleteIfExists(job.resolve("output")); // of an earlier boot
    Process run = new ProcessBuilder(command).redirectErrorStream(true).start();
    String console = new String(run.getInputStream().readAllBytes(), UTF_8);
    return new Outcome(run.waitFor(), console, job);
  }

  /**
   * As {@link #run}; each test in there is a test here, and that the guest came to its end is one
   * more. A guest whose rows have failed in this JVM runs only these again.
   *
   * @param name of the file in {@code target} with everything that was said
   */
  static Stream<DynamicTest> tests(
      String name, Path job, int seconds, String devices, List<String> flags, List<String> rows)
      throws Exception {
    SecondChance first = SecondChance.of(name);
    Outcome outcome = run(job, seconds, devices, flags, first.rows(rows));
    Path results = job.resolve("results");
    if (Files.exists(results)) {
      List<String> lines = first.with(Files.readAllLines(results));
      Files.write(results, lines);
      SecondChance.keep(name, outcome.code() == 0 ? lines : List.of());
    }
    return tests(name, outcome, rows);
  }

  /** A test for each test of a run that is over, and those of the run itself. */
  static Stream<DynamicTest> tests(String name, Outcome outcome, List<String> rows)
      throws Exception {
    Path job = outcome.job();
    String output = output(job);
    String said = output.isEmpty() ? "(the JVM did not start)" : output;
    Files.writeString(Path.of("target", name + ".txt"), outcome.console() + "\n" + said);
    String report = outcome.console() + "\n" + Crash.shortened(said);
    return Stream.concat(
        Stream.of(
            dynamicTest(
                "the guest ran to its end", () -> assertThat(outcome.code()).as(report).isZero())),
        results(rows, job, report));
  }

  /** A row that was not found, or whose tests all have a tag that is left out, is no success. */
  private static void assertHaveRun(List<String> rows, List<String> lines, String report) {
    for (String row : rows) {
      String name = row.replaceAll("#.*", "").replaceAll(".*\\.", "");
      assertThat(lines)
          .as(() -> "tests of " + row + "\n" + report)
          .anyMatch(line -> line.startsWith(name + " / ") && !line.contains("\tskipped\t"));
    }
  }

  /**
   * The command that runs JUnit classes inside, with this JVM's class path.
   *
   * @param flags of the JVM
   * @param rows names of classes, each perhaps with {@code #method}
   */
  static List<String> command(List<String> flags, List<String> rows) throws Exception {
    GuestArchive archive = GuestArchive.of(GuestArchive.ofThisJvm(), JVM);
    List<String> more = new ArrayList<>(archive.flags());
    more.addAll(flags);
    return command(JAVA, Path.of("/job"), archive.classPath(), more, rows);
  }

  /** As the other one, with the JDK at a place, and for the results another directory. */
  static List<String> command(Path jdk, Path job, List<String> flags, List<String> rows) {
    return command(jdk, job, GuestArchive.ofThisJvm(), flags, rows);
  }

  private static List<String> command(
      Path jdk, Path job, List<Path> classPath, List<String> flags, List<String> rows) {
    List<String> command = new ArrayList<>();
    command.add(jdk.resolve("bin/java").toString());
    command.addAll(JVM);
    command.add("-Xmx384m");
    command.add("-XX:+ErrorFileToStdout"); // what a crash leaves is gone with the guest otherwise
    command.add("-Dslipstream.rdma.slow=stay"); // rows have to be on RDMA, and an emulator is slow
    command.addAll(flags);
    command.addAll(List.of("-cp", GuestArchive.join(classPath), GuestMain.class.getName()));
    command.add(job.resolve("results").toString());
    command.addAll(rows);
    return command;
  }

  /** Options of {@code run}: what a JVM inside needs to read. */
  static List<String> shares() throws IOException {
    List<String> options = new ArrayList<>();
    for (Path directory : directories(GuestArchive.ofThisJvm(), JAVA)) {
      options.addAll(List.of("-r", directory.toString()));
    }
    return options;
  }

  /**
   * What the JVM inside wrote: a test for each of its tests, and that each row has run is one more.
   * Nothing is thrown if it wrote nothing: a factory that fails stays failed although its second
   * run passes.
   */
  static Stream<DynamicTest> results(List<String> rows, Path job, String report)
      throws IOException {
    Path results = job.resolve("results");
    List<String> lines = Files.exists(results) ? Files.readAllLines(results) : List.of();
    return Stream.concat(
        Stream.of(dynamicTest("every row has run", () -> assertHaveRun(rows, lines, report))),
        lines.stream().map(Guest::test));
  }

  private static DynamicTest test(String line) {
    String[] fields = line.split("\t", -1);
    String why = new String(Base64.getDecoder().decode(fields[2]), UTF_8);
    return dynamicTest(
        fields[0],
        () -> {
          Requirement.require(!fields[1].equals("skipped"), why);
          assertThat(fields[1]).as(why).isEqualTo("passed");
        });
  }

  /** Few and large: the local Maven repository, this source tree, the JDK. */
  private static List<Path> directories(List<Path> classPath, Path java) throws IOException {
    Path source = Path.of("..").toRealPath();
    List<Path> roots = new ArrayList<>(List.of(source, java.toRealPath()));
    for (Path entry : classPath) {
      Path real = entry.toRealPath();
      if (roots.stream().noneMatch(real::startsWith)) {
        roots.add(repository(real));
      }
    }
    return roots;
  }

  /** A jar lies in GROUP/ARTIFACT/VERSION of a repository: the highest directory that says so. */
  private static Path repository(Path jar) {
    for (Path up = jar.getParent(); up != null; up = up.getParent()) {
      Path name = up.getFileName();
      if (name != null && name.toString().equals("repository")) {
        return up;
      }
    }
    return jar.getParent();
  }
}
