package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Patience;

/**
 * The {@code ./slipstream} command, in a tree of its own in which Maven is a stub: what it runs,
 * what it builds, which JDK it finds, how it ends. Its environment is empty but for what a test
 * puts there.
 */
class ScriptIT {
  private static final String NO_JDK =
      "Slipstream needs a JDK 25 or newer: install one (for example Eclipse Temurin 25) and set"
          + " JAVA_HOME to its folder.\n";

  /** What the script needs of a machine; there is no java among it. */
  private static final List<String> TOOLS =
      List.of(
          "bash",
          "cat",
          "cp",
          "dirname",
          "env",
          "find",
          "flock",
          "mkdir",
          "readlink",
          "rm",
          "sed",
          "sh",
          "tee",
          "touch");

  @RegisterExtension final Children children = new Children();
  @TempDir Path temp;

  private final Map<String, String> environment = new TreeMap<>();
  private Path root;
  private Path jar;

  private record Outcome(int code, String out, String err) {}

  /** Says which provider its channels have. */
  public static final class Program {
    private Program() {}

    /** Ends with its one argument. */
    public static void main(String[] args) {
      System.out.println(SelectorProvider.provider().getClass().getName());
      System.exit(Integer.parseInt(args[0]));
    }
  }

  @BeforeEach
  void makeTree() throws IOException {
    root = Files.createDirectory(temp.resolve("a tree"));
    Path source = Path.of("..");
    Files.copy(source.resolve("slipstream"), root.resolve("slipstream"));
    Files.createDirectory(root.resolve(".mvn"));
    Files.copy(source.resolve(".mvn/find-jdk.sh"), root.resolve(".mvn/find-jdk.sh"));
    Files.writeString(root.resolve("pom.xml"), "<project/>\n");
    jar = root.resolve("agent/target/slipstream.jar");
    Files.createDirectories(jar.getParent());
    Files.writeString(root.resolve("agent/pom.xml"), "<project/>\n");
    executable(
        root.resolve("mvnw"),
        """
        #!/bin/sh
        echo "$@" >>'%1$s/builds'
        [ -e '%1$s/broken' ] && echo 'something is wrong' && exit 1
        echo '[INFO] Building Slipstream :: Transport API 0.1.0-SNAPSHOT                 [1/2]'
        echo '[INFO] Building jar: nothing.jar'
        echo '[INFO] Building Slipstream :: Agent 0.1.0-SNAPSHOT                         [2/2]'
        cp '%2$s' '%3$s'
        """
            .formatted(temp, Children.JAR, jar));
    Path bin = Files.createDirectory(temp.resolve("bin"));
    for (String tool : TOOLS) {
      for (Path folder : List.of(Path.of("/bin"), Path.of("/usr/bin"))) {
        if (Files.isExecutable(folder.resolve(tool)) && !Files.exists(bin.resolve(tool))) {
          Files.createSymbolicLink(bin.resolve(tool), folder.resolve(tool));
        }
      }
    }
    environment.put("PATH", bin.toString());
    environment.put("HOME", temp.toString());
    environment.put("SLIPSTREAM_JDK_FOLDERS", temp.resolve("jdks").toString());
    environment.put("JAVA_HOME", home());
  }

  @Test
  void javaRunsAProgramWithSlipstreamAndEndsAsTheProgramDoes() throws Exception {
    Outcome outcome = slipstream(program("7"));
    assertThat(outcome.out()).startsWith("org.slipstream.provider.").hasLineCount(1);
    assertThat(outcome.code()).isEqualTo(7);
  }

  @Test
  void whatIsMissingOrOutOfDateIsBuiltOnce() throws Exception {
    Outcome first = slipstream(program("0"));
    assertThat(first.code()).isZero();
    assertThat(first.err().lines())
        .hasSize(4)
        .startsWith(building("agent"), "slipstream:   1/2 Transport API", "slipstream:   2/2 Agent")
        .last()
        .asString()
        .matches("slipstream: built in [0-9]+ s");
    Outcome second = slipstream(program("0"));
    assertThat(second).isEqualTo(new Outcome(0, first.out(), ""));
    assertThat(builds())
        .hasSize(1)
        .first()
        .asString()
        .contains("package -pl agent -am")
        .contains("-Dmaven.test.skip");
    Files.delete(jar);
    assertThat(slipstream(program("0")).code()).isZero();
    assertThat(builds()).hasSize(2);
  }

  /** A program's own {@code --help} is not ours. */
  @Test
  void helpOfACommandThatIsNotBuiltYetSaysThatItIsBuiltFirst() throws Exception {
    String first = "slipstream: the options are listed by the program itself, which is built first";
    Outcome help = slipstream("ps", "--help");
    assertThat(help.err().lines()).startsWith(first, building("agent"));
    assertThat(help.out()).contains("Usage:");
    assertThat(slipstream("ps", "--help").err()).isEmpty();
    Files.delete(jar);
    assertThat(slipstream("java", "--help").err().lines()).startsWith(building("agent"));
  }

  @Test
  void aBuildThatFailsIsOneSentenceWithItsLog() throws Exception {
    Files.createFile(temp.resolve("broken"));
    Outcome outcome = slipstream(program("0"));
    assertThat(outcome.code()).isEqualTo(1);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err().lines())
        .containsExactly(
            building("agent"),
            "slipstream: the build failed; its log is "
                + root.resolve("target/slipstream-build.log"));
    assertThat(root.resolve("target/slipstream-build.log")).hasContent("something is wrong");
  }

  private String building(String modules) {
    return "slipstream: building %s, which takes a minute or more; the log is %s"
        .formatted(modules, root.resolve("target/slipstream-build.log"));
  }

  /** Not more than what the command needs: only its own modules read the agent. */
  @Test
  void anEditOfAModuleThatTheCommandDoesNotNeedBuildsNothing() throws Exception {
    assertThat(slipstream(program("0")).code()).isZero();
    Path elsewhere = Files.createDirectories(root.resolve("netty-channel/src/main/java"));
    Files.writeString(elsewhere.resolve("New.java"), "class New {}\n");
    assertThat(slipstream(program("0")).err()).isEmpty();
    assertThat(builds()).hasSize(1);
    Path needed = Files.createDirectories(root.resolve("transport-core/src/main/java"));
    Files.writeString(needed.resolve("New.java"), "class New {}\n");
    assertThat(slipstream(program("0")).code()).isZero();
    assertThat(builds()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({
    "0, programs, --help, Usage: ./slipstream programs",
    "0, programs, -h, Usage: ./slipstream programs",
    "2, programs, --rounds, programs knows no '--rounds'",
    "2, programs, 15, programs knows no '15'",
    "0, servers, --help, Usage: ./slipstream servers",
    "2, servers, --rounds, --rounds needs a number",
    "2, servers, --only, --only needs a part of a row's name",
    "2, servers, no-such-server, there is no server 'no-such-server'"
  })
  void helpAndWrongArgumentsOfAMeasurementStartNoBuild(
      int code, String command, String argument, String said) throws Exception {
    Outcome outcome = slipstream(command, argument);
    assertThat(outcome.out() + outcome.err()).contains(said);
    assertThat(outcome.code()).isEqualTo(code);
    assertThat(builds()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"java", "pingpong", "servers", "doctor", "no-such-command"})
  void withoutAJdkItIsOneSentence(String command) throws Exception {
    Path old = jdk("old", "17.0.9");
    environment.put("JAVA_HOME", old.toString());
    assertThat(slipstream(command, "-version")).isEqualTo(new Outcome(1, "", NO_JDK));
    environment.put("JAVA_HOME", "/nonexistent");
    assertThat(slipstream(command, "-version")).isEqualTo(new Outcome(1, "", NO_JDK));
    environment.remove("JAVA_HOME");
    environment.remove("HOME");
    assertThat(slipstream(command, "-version")).isEqualTo(new Outcome(1, "", NO_JDK));
    assertThat(builds()).isEmpty();
  }

  @Test
  void aJdkIsFoundInTheUsualFolders() throws Exception {
    environment.put("JAVA_HOME", "/nonexistent");
    Path folder = Files.createDirectories(temp.resolve("jdks"));
    jdk("jdks/java-17", "17.0.9");
    Files.createSymbolicLink(folder.resolve("java-25"), Path.of(home()));
    assertThat(slipstream(program("0")).code()).isZero();
  }

  @Test
  void aJdkIsFoundInTheToolchainsOfMaven() throws Exception {
    environment.remove("JAVA_HOME");
    Files.createDirectory(temp.resolve(".m2"));
    Files.writeString(
        temp.resolve(".m2/toolchains.xml"),
        """
        <toolchains>
          <toolchain>
            <type>jdk</type>
            <configuration><jdkHome>%s</jdkHome></configuration>
          </toolchain>
          <toolchain>
            <type>jdk</type>
            <configuration>
              <jdkHome> %s </jdkHome>
            </configuration>
          </toolchain>
        </toolchains>
        """
            .formatted(jdk("an old one", "17.0.9"), home()));
    assertThat(slipstream(program("0")).code()).isZero();
  }

  @Test
  void aJdkIsFoundOnThePath() throws Exception {
    environment.remove("JAVA_HOME");
    Files.createSymbolicLink(temp.resolve("bin/java"), Path.of(home(), "bin/java"));
    assertThat(slipstream(program("0")).code()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"help", "--help", "-h", ""})
  void helpNeedsNothing(String command) throws Exception {
    environment.remove("JAVA_HOME");
    Outcome outcome = command.isEmpty() ? slipstream() : slipstream(command);
    assertThat(outcome.code()).isZero();
    assertThat(outcome.out()).startsWith("Usage: ./slipstream COMMAND [ARGS...]");
    assertThat(outcome.err()).isEmpty();
    assertThat(builds()).isEmpty();
  }

  @Test
  void anUnknownCommandIsNamed() throws Exception {
    Outcome outcome = slipstream("no-such-command");
    assertThat(outcome.code()).isEqualTo(2);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).contains("no-such-command").contains("Usage:");
  }

  @ParameterizedTest
  @CsvSource({
    "0, -Dslipstream.transports=shm",
    "1, -Dslipstream.transports=ntb",
    "3, -Dslipstream.transports=carrier-pigeon"
  })
  void doctorEndsAsItsVerdictSays(int code, String setting) throws Exception {
    environment.put("JAVA_TOOL_OPTIONS", setting);
    Outcome outcome =
        slipstream("doctor", "--no-exchange", "--dir", children.directory().toString());
    assertThat(outcome.out()).containsPattern("(?m)^verdict ");
    assertThat(outcome.code()).as(outcome.out()).isEqualTo(code);
  }

  private String[] program(String code) throws Exception {
    return new String[] {
      "java",
      "-Dslipstream.dir=" + children.directory(),
      "-cp",
      Children.classes(),
      Program.class.getName(),
      code
    };
  }

  private Outcome slipstream(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(root.resolve("slipstream").toString()));
    command.addAll(List.of(arguments));
    Path out = temp.resolve("out");
    Path err = temp.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
      return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private List<String> builds() throws IOException {
    Path builds = temp.resolve("builds");
    return Files.exists(builds) ? Files.readAllLines(builds) : List.of();
  }

  private static String home() {
    return Path.of(Children.JAVA).getParent().getParent().toString();
  }

  /** What looks like a JDK of a version, and can do nothing. */
  private Path jdk(String folder, String version) throws IOException {
    Path home = Files.createDirectories(temp.resolve(folder));
    Path bin = Files.createDirectory(home.resolve("bin"));
    executable(bin.resolve("java"), "#!/bin/sh\nexit 99\n");
    executable(bin.resolve("javac"), "#!/bin/sh\nexit 99\n");
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n", UTF_8);
    return home;
  }

  private static void executable(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
