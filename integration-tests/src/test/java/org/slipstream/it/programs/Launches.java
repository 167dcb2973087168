package org.slipstream.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slipstream.it.process.StreamLine;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.TestDirectory;

/** The processes of one test, and the private runtime directory that they share. */
final class Launches implements BeforeEachCallback, AfterEachCallback {
  static final Path AGENT =
      Path.of(Objects.requireNonNull(System.getProperty("slipstream.jar"), "slipstream.jar"))
          .toAbsolutePath()
          .normalize();
  static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

  /** Small and quick to start; none of it changes how sockets behave. */
  private static final List<String> JVM =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx192m");

  private static final Duration PATIENCE = Patience.LONG;

  private final List<Program> programs = new ArrayList<>();
  private @Nullable TestDirectory directory;
  private Path home = Path.of("");

  /** A process, and what it said. */
  record Program(Process process, Path errors) {
    /** Waits for a line of standard output that begins so, and returns the rest of it. */
    String await(String word) throws Exception {
      CompletableFuture<String> line =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
                  String next = lines.readLine();
                  while (next != null && !next.startsWith(word + " ")) {
                    next = lines.readLine();
                  }
                  return next == null ? "" : next;
                } catch (IOException e) {
                  return "";
                }
              },
              task -> Thread.ofPlatform().daemon().start(task));
      try {
        String said = line.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(said).as("'%s' of the program; %s", word, said()).startsWith(word + " ");
        return said.substring(word.length() + 1);
      } catch (TimeoutException e) {
        throw new AssertionError("The program does not say '" + word + "': " + said(), e);
      }
    }

    /** Says a line to it. */
    void tell(String line) throws IOException {
      Writer input = process.outputWriter(StandardCharsets.UTF_8);
      input.write(line);
      input.write('\n');
      input.flush();
    }

    /** Standard error. */
    String said() throws IOException {
      return Files.readString(errors);
    }

    /** Ends its input, and so the program. */
    void end() throws Exception {
      process.getOutputStream().close();
      assertThat(process.waitFor(Patience.DEADLINE)).as("the program ends").isTrue();
      assertThat(process.exitValue()).as(said()).isZero();
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) throws IOException {
    directory = TestDirectory.create();
    home = directory.path();
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    for (Program program : programs) {
      program.process().destroyForcibly().waitFor();
      if (context.getExecutionException().isPresent()) {
        System.out.println("process " + program.process().pid() + ": " + program.said());
      }
    }
    programs.clear();
    Objects.requireNonNull(directory).close();
  }

  /** A private directory of this test. */
  Path home() {
    return home;
  }

  /** The runtime directory of the processes; they make it. */
  Path directory() {
    return home.resolve("run");
  }

  /** The flags that switch Slipstream on. */
  List<String> agent() {
    return List.of("-javaagent:" + AGENT, "-Dslipstream.dir=" + directory());
  }

  /** Starts a main class of this package on the class path of these tests, without ours. */
  Program start(List<String> flags, Class<?> program, String... args) throws Exception {
    List<String> command = new ArrayList<>(flags);
    command.addAll(List.of("-cp", classPath(), program.getName()));
    command.addAll(List.of(args));
    return java(command);
  }

  /** Starts a JVM. */
  Program java(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(JAVA));
    command.addAll(JVM);
    command.addAll(arguments);
    return launch(new ProcessBuilder(command));
  }

  Program launch(ProcessBuilder builder) throws IOException {
    Path errors = home.resolve("errors-" + programs.size());
    Program program = new Program(builder.redirectError(errors.toFile()).start(), errors);
    programs.add(program);
    return program;
  }

  /** The test classes and the libraries of the programs, and nothing of Slipstream. */
  static String classPath() throws Exception {
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    String libraries =
        Arrays.stream(all.split(File.pathSeparator))
            .filter(e ->
                e.matches(
                    ".*/(com/h2database|org/eclipse/jetty|org/apache|org/slf4j|jakarta)/.*\\.jar"))
            .collect(Collectors.joining(File.pathSeparator));
    return classes() + File.pathSeparator + libraries;
  }

  /** Where the classes of these tests are. */
  static Path classes() throws Exception {
    return Path.of(Launches.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** What {@code slipstream ps --json} says. */
  List<StreamLine> ps() throws Exception {
    Process ps =
        new ProcessBuilder(
                JAVA,
                "-XX:TieredStopAtLevel=1",
                "-jar",
                AGENT.toString(),
                "ps",
                "--json",
                "--dir",
                directory().toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String json = new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(ps.waitFor(Patience.DEADLINE)).isTrue();
    return StreamLine.parse(json);
  }
}
