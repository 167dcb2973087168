package org.slipstream.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.SourceTree;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * The commands of README, CONTRIBUTING, SECURITY, SUPPORT and the pages under {@code docs}. Each
 * one in a fenced block is run here ({@link TypedIn}), or a {@link Mark} above the block says which
 * test runs it, or why none does. Of those that are not run here, and of those in the text, the
 * sub-command and each option must exist.
 */
class DocsIT {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern INLINE =
      Pattern.compile(
          "`((?:(?:\\./)?slipstream [a-z]|\\./mvnw\\b|java -|config/release "
              + "|integration-tests/[\\w/-]+ )[^`\n]*)`");
  private static final Pattern PLACEHOLDER = Pattern.compile("[A-Z]+(\\.\\.\\.)?");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  /** Makes the key of a cluster, in the directory where it is typed. */
  private static final String KEY = "head -c 32 /dev/urandom > cluster.key; chmod 600 cluster.key";

  private static final String UNKNOWN = "it is not known to this test; mark it";

  /** Looks like a command, and is what a key of the wire protocol is made of. */
  private static final String LABEL = "slipstream rdma 4";

  /** The text names commands without all that they need; blocks do not. */
  private static final String MISSING = "Missing required ";

  private static final Map<String, String> PAGES = new TreeMap<>();
  private static String script = "";
  private static String settings = "";
  private static String poms = "";
  private static final Set<String> CLASSES = new TreeSet<>();
  private static final Map<String, Path> TESTS = new TreeMap<>();

  @BeforeAll
  static void read() throws IOException {
    for (Path path : SourceTree.files(ROOT)) {
      String name = ROOT.relativize(path).toString();
      if (name.matches("(README|CONTRIBUTING|SECURITY|SUPPORT)\\.md|docs/(models/)?[^/]*\\.md")) {
        PAGES.put(name, Files.readString(path));
      } else if (name.endsWith("pom.xml")) {
        poms += Files.readString(path);
      } else if (name.endsWith(".java")) {
        String type = path.getFileName().toString().replace(".java", "");
        CLASSES.add(type);
        if (name.contains("src/test/")) {
          TESTS.put(type, path);
        }
      }
    }
    script = Files.readString(ROOT.resolve("slipstream"));
    settings = Files.readString(ROOT.resolve("docs/CONFIGURATION.md"));
  }

  /** A command of a page. */
  private record Shown(String page, String text) {}

  private static List<Fence> fences() {
    List<Fence> all = new ArrayList<>();
    PAGES.forEach((page, text) -> all.addAll(Fence.of(page, text)));
    return all;
  }

  /** Of a test class, or of a file that is named by its path; empty if it is not there. */
  private static Optional<String> source(String name) {
    Path file = TESTS.getOrDefault(name, ROOT.resolve(name));
    try {
      return Files.isRegularFile(file) ? Optional.of(Files.readString(file)) : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void eachFencedCommandIsRunHereOrByAnotherTestOrSaysWhyNot() {
    List<String> wrong = new ArrayList<>();
    for (Fence fence : fences()) {
      wrong.addAll(fence.complaints(TypedIn::canRun, DocsIT::source));
    }
    assertThat(wrong).isEmpty();
  }

  @TestFactory
  Stream<DynamicTest> eachFencedCommandThatCanBeRunHereIsRun(@TempDir Path folder)
      throws Exception {
    TypedIn typed =
        TypedIn.folder(folder, ROOT, Path.of(System.getProperty("slipstream.jar")).normalize());
    // In the order of the pages, because some need what one before them has made; each once.
    Map<String, String> commands = new LinkedHashMap<>();
    fences().stream()
        .flatMap(fence -> fence.commands().stream())
        .filter(TypedIn::canRun)
        .forEach(text -> commands.putIfAbsent(text.replaceFirst("^\\./", ""), text));
    assertThat(commands).hasSizeGreaterThan(10);
    return commands.values().stream().map(text -> dynamicTest(text, () -> typed.run(text)));
  }

  @Test
  void eachSubCommandOfABlockPrintsItsHelp() {
    Set<String> names = new TreeSet<>();
    Pattern ours =
        Pattern.compile("(?:(?:\\./)?slipstream|java -jar slipstream\\.jar) ([a-z]+)\\b.*");
    for (Fence fence : fences()) {
      for (String command : fence.commands()) {
        Matcher name = ours.matcher(command);
        if (name.matches()) {
          names.add(name.group(1));
        }
      }
    }
    int printed = 0;
    for (CommandLine program :
        List.of(new CommandLine(new org.slipstream.agent.cli.Main()), Main.commandLine())) {
      for (String name : names) {
        if (program.getSubcommands().containsKey(name)) {
          StringWriter out = new StringWriter();
          program.setOut(new PrintWriter(out, true));
          assertThat(program.execute(name, "--help")).as(name).isZero();
          assertThat(out.toString()).as(name).contains("Usage: ", name);
          printed++;
        }
      }
    }
    assertThat(printed).isGreaterThan(10);
  }

  @Test
  void eachCommandIsThereWithItsOptionsOrIsMarked() {
    List<Shown> named = new ArrayList<>();
    PAGES.forEach((page, text) ->
        INLINE
            .matcher(text)
            .results()
            .map(code -> code.group(1))
            .filter(code -> !code.contains("...") && !code.contains("…"))
            .filter(code -> !code.equals(LABEL))
            .forEach(code -> named.add(new Shown(page, code))));
    assertThat(named).hasSizeGreaterThan(50);
    Set<String> wrong = new TreeSet<>();
    int fenced = 0;
    for (Fence fence : fences()) {
      for (String command : fence.commands()) {
        fenced++;
        String objection = objection(command);
        boolean excused = objection.equals(UNKNOWN) && fence.isMarked(command);
        object(new Shown(fence.page(), command), excused ? "" : objection, wrong);
      }
    }
    assertThat(fenced).isGreaterThan(50);
    for (Shown shown : named) {
      String objection = objection(shown.text());
      object(shown, objection.startsWith(MISSING) ? "" : objection, wrong);
    }
    assertThat(wrong).isEmpty();
  }

  private static void object(Shown shown, String objection, Set<String> wrong) {
    if (!objection.isEmpty()) {
      wrong.add(shown.page() + ": " + shown.text() + ": " + objection);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "slipstream ps --nosuch",
        "./slipstream nosuch",
        "./slipstream pingpong --nosuch 5",
        "./slipstream servers --nosuch kafka",
        "java -jar slipstream.jar attach --nosuch PID",
        "java -javaagent:slipstream.jar=no.such=1 App",
        "java -Dslipstream.no.such=1 App",
        "java -Djava.nio.channels.spi.SelectorProvider=org.slipstream.NoSuch App",
        "./mvnw -Pnosuch verify",
        "./mvnw -pl nosuch verify",
        "./mvnw verify -Dit.test=NoSuchIT",
        "docker run nosuch",
        "java -cp benchmarks.jar org.slipstream.benchmarks.NoSuch",
        "config/release --nosuch",
        "integration-tests/nosuch 7",
        "head -c 4 key"
      })
  void whatIsNotThereIsNoticed(String command) {
    assertThat(objection(command)).isNotEmpty();
  }

  /** Empty if a reader can type it. */
  private static String objection(String command) {
    if (command.equals(KEY)) {
      return "";
    }
    List<String> words = new ArrayList<>();
    for (MatchResult word : WORD.matcher(command.replaceFirst(" > .*", "")).results().toList()) {
      words.add(word.group(1) == null ? word.group(2) : word.group(1));
    }
    words.removeIf(word -> word.equals("…") || word.matches("[A-Z_]+=.*"));
    String program = words.removeFirst();
    return switch (program) {
      case "./slipstream", "slipstream" -> slipstream(words);
      case "java" -> java(words);
      case "./mvnw" -> maven(words);
      case "docs/models/run.sh", "./run.sh" ->
          Files.exists(ROOT.resolve("docs/models/run.sh")) ? "" : "there is no such file";
      case "config/release" ->
          words.getFirst().matches("--check|VERSION|[0-9.]+") ? "" : "config/release refuses it";
      default ->
          program.startsWith("integration-tests/") && Files.isExecutable(ROOT.resolve(program))
              ? ""
              : UNKNOWN;
    };
  }

  private static String slipstream(List<String> words) {
    words.replaceAll(word -> PLACEHOLDER.matcher(word).matches() ? "1" : word);
    if (words.isEmpty()) {
      return "";
    }
    String name = words.getFirst();
    CommandLine tools = new CommandLine(new org.slipstream.agent.cli.Main());
    CommandLine benchmarks = Main.commandLine();
    boolean measures = name.equals("memory") && !words.contains("serve");
    if (tools.getSubcommands().containsKey(name) && !measures) {
      return parsed(tools, words);
    }
    if (name.equals("rdma") && !words.contains("--text")) {
      words.addAll(List.of("--text", "1")); // as the script does
    }
    if (!Pattern.compile("(?m)^  (?:[\\w-]+ \\| )*" + name + "(?: \\| [\\w-]+)*\\)$")
        .matcher(script)
        .find()) {
      return "./slipstream does not know it";
    }
    if (benchmarks.getSubcommands().containsKey(name)) {
      return parsed(benchmarks, words);
    }
    return switch (name) {
      case "java" -> java(words.subList(1, words.size()));
      case "cache" -> java(words.subList(2, words.size()));
      case "servers", "programs" ->
          String.join(
              ", ",
              words.stream()
                  .filter(word -> word.startsWith("-"))
                  .map(word -> word.replaceFirst("=.*", ""))
                  .filter(
                      word -> !script.contains("  " + word + " ") && !script.contains(word + "="))
                  .toList());
      default -> "";
    };
  }

  private static String parsed(CommandLine commandLine, List<String> words) {
    try {
      commandLine.parseArgs(words.toArray(String[]::new));
      return "";
    } catch (ParameterException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static String java(List<String> words) {
    if (words.size() > 1 && words.get(0).equals("-jar") && words.get(1).equals("slipstream.jar")) {
      return slipstream(new ArrayList<>(words.subList(2, words.size())));
    }
    for (String word : words) {
      if (word.endsWith(".java") && !Files.exists(ROOT.resolve(word))) {
        return "there is no " + word;
      }
      if (word.startsWith("-javaagent:slipstream.jar=")) {
        for (String pair : word.substring(word.indexOf('=') + 1).split(",", -1)) {
          if (!isSetting("slipstream." + pair.substring(0, pair.indexOf('=')))) {
            return "there is no setting " + pair;
          }
        }
      } else if (word.startsWith("-Dslipstream.")
          && !isSetting(word.substring(2, word.indexOf('=')))) {
        return "there is no setting " + word;
      } else if (word.matches("(-D.*=)?org\\.slipstream\\..*")
          && !CLASSES.contains(word.substring(word.lastIndexOf('.') + 1))) {
        return "there is no class " + word;
      }
    }
    return "";
  }

  private static boolean isSetting(String key) {
    return settings.contains("| `" + key + "` |");
  }

  private static String maven(List<String> words) {
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.startsWith("-P") && !poms.contains("<id>" + word.substring(2) + "</id>")) {
        return "there is no profile " + word;
      }
      if (word.equals("-pl") && !Files.exists(ROOT.resolve(words.get(i + 1)).resolve("pom.xml"))) {
        return "there is no module " + words.get(i + 1);
      }
      if (word.matches("-D(it\\.)?test=.*") && !word.endsWith("=none")) {
        String name = word.substring(word.indexOf('=') + 1).replace("'", "").replace("*", ".*");
        if (CLASSES.stream().noneMatch(type -> type.matches(name))) {
          return "there is no test " + name;
        }
      }
    }
    return "";
  }

  @Test
  void aClustersKeyIsMade(@TempDir Path directory) throws Exception {
    assertThat(fences()).anyMatch(fence -> fence.commands().contains(KEY));
    Process process = new ProcessBuilder("sh", "-c", KEY).directory(directory.toFile()).start();
    assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
    assertThat(process.exitValue()).isZero();
    Path key = directory.resolve("cluster.key");
    assertThat(key).hasSize(32);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
        .isEqualTo("rw-------");
  }
}
