package org.slipstream.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.slipstream.testkit.Patience;

/**
 * Commands as a reader types them, in a folder that has what they name: the {@code slipstream}
 * script with its two jars, which nothing there is newer than, so it builds nothing; {@code
 * slipstream.jar}; {@code app.jar}; the files that pages plot.
 */
final class TypedIn {
  private static final String TOOL = "(?:(?:\\./)?slipstream|java -jar slipstream\\.jar) ";

  /** What an {@code App} with Slipstream says. */
  private static final String PROVIDER = "(?m)^org\\.slipstream\\.provider\\.";

  private static final String APP =
      """
      public class App {
        public static void main(String[] arguments) {
          System.out.println(java.nio.channels.spi.SelectorProvider.provider().getClass().getName());
        }
      }
      """;

  /** Those that are run; with what is added, so that they end, and what they have to say. */
  private record Known(Pattern command, String more, Pattern says) {
    Known(String command, String more, String says) {
      this(Pattern.compile(command), more, Pattern.compile(says));
    }
  }

  /** They look, or work on files of the folder; none changes anything else on this machine. */
  private static final List<Known> ALL =
      List.of(
          new Known(TOOL + "ps(?: --(?:totals|sessions|json))?", "", ""),
          new Known(TOOL + "ps --watch=\\S+", " --count=1", ""),
          new Known(TOOL + "doctor", "", "(?m)^verdict "),
          new Known(TOOL + "(?:off|on) --all", "", ""),
          new Known("\\./slipstream (?:\\w+ )+--help", "", "(?m)^Usage: "),
          new Known("\\./slipstream plot \\S+ -o \\S+", "", ""),
          new Known("\\./slipstream java -jar app\\.jar", "", PROVIDER),
          new Known("\\./slipstream cache app\\.aot .* App", "", PROVIDER),
          new Known("java -XX:AOTCache=app\\.aot .* App", "", PROVIDER),
          new Known("java -javaagent:slipstream\\.jar(?:=\\S+)? -jar app\\.jar", "", PROVIDER),
          new Known("java -cp slipstream\\.jar:app\\.jar -D\\S+ App", "", PROVIDER),
          new Known(Pattern.quote("head -c 32 /dev/urandom > cluster.key; ") + ".*", "", ""));

  private final Path folder;

  private TypedIn(Path folder) {
    this.folder = folder;
  }

  /** Fills it. */
  static TypedIn folder(Path empty, Path root, Path jar) throws IOException {
    for (String pom : List.of("pom.xml", "agent/pom.xml", "benchmarks/pom.xml")) {
      Files.createDirectories(empty.resolve(pom).getParent());
      Files.writeString(empty.resolve(pom), "<project/>\n");
    }
    Files.createDirectory(empty.resolve(".mvn"));
    for (String file : List.of("slipstream", ".mvn/find-jdk.sh")) {
      Files.copy(root.resolve(file), empty.resolve(file));
    }
    Files.createDirectories(empty.resolve("docs/output"));
    try (Stream<Path> files = Files.list(root.resolve("docs/output"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".json")).toList()) {
        Files.copy(file, empty.resolve("docs/output").resolve(file.getFileName()));
      }
    }
    Path source = Files.writeString(empty.resolve("App.java"), APP);
    tool("javac", "-d", empty.toString(), source.toString());
    tool(
        "jar",
        "--create",
        "--file=" + empty.resolve("app.jar"),
        "--main-class=App",
        "-C",
        empty.toString(),
        "App.class");
    Path benchmarks = Path.of("benchmarks/target/benchmarks.jar");
    for (String file : List.of("slipstream.jar", "agent/target/slipstream.jar")) {
      copy(jar, empty.resolve(file));
    }
    copy(root.resolve(benchmarks), empty.resolve(benchmarks));
    return new TypedIn(empty);
  }

  /** With the time of now. */
  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    Files.copy(from, to);
  }

  private static void tool(String name, String... arguments) {
    StringWriter said = new StringWriter();
    int code =
        ToolProvider.findFirst(name)
            .orElseThrow()
            .run(new PrintWriter(said, true), new PrintWriter(said, true), arguments);
    assertThat(code).as(said.toString()).isZero();
  }

  private static Optional<Known> of(String command) {
    return ALL.stream().filter(each -> each.command().matcher(command).matches()).findFirst();
  }

  static boolean canRun(String command) {
    return of(command).isPresent();
  }

  /** Runs it; it must succeed, and say what it has to. */
  void run(String command) throws Exception {
    Known known = of(command).orElseThrow();
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-c", command + known.more())
            .directory(folder.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectErrorStream(true);
    String home = System.getProperty("java.home");
    builder.environment().put("JAVA_HOME", home);
    builder
        .environment()
        .put("PATH", folder + ":" + home + "/bin:" + builder.environment().get("PATH"));
    builder
        .environment()
        .put(
            "JDK_JAVA_OPTIONS",
            "-XX:TieredStopAtLevel=1 -Dslipstream.dir=" + folder.resolve("run"));
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(Patience.DEADLINE)).as(said).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    assertThat(said).containsPattern(known.says());
    assertThat(folder.resolve("target/slipstream-build.log"))
        .as("it builds nothing")
        .doesNotExist();
  }
}
