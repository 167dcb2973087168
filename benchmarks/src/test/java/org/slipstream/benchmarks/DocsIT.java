package org.slipstream.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Patience;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * The commands of README, CONTRIBUTING, SECURITY, SUPPORT and the pages under {@code docs}: those
 * in fenced blocks, and those of this project in the text. Those that only look, and that which
 * makes a key, are run; of all others the sub-command and each option must exist, because a
 * measurement takes minutes. A block with commands that are neither says why above it: {@code <!--
 * not run: REASON -->}.
 */
class DocsIT {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern BLOCK =
      Pattern.compile("(?ms)(^ *<!-- not run: [^>]+ -->\n)?^ *```[^\n]*\n(.*?)^ *```");
  private static final Pattern PROMPT = Pattern.compile("^\\w*\\$ (.*)");
  private static final Pattern COMMENT = Pattern.compile("\\s+# .*$");
  private static final Pattern COMMAND =
      Pattern.compile(
          "(?:[A-Z_]+=\\S+ )*"
              + "((?:\\./)?slipstream|\\./mvnw|java|(?:docs/models|\\.)/run\\.sh|jfr|jcmd|docker"
              + "|echo|head|printf|export|config/release|integration-tests/\\S+)"
              + " .*|(?:docs/models|\\.)/run\\.sh");
  private static final Pattern INLINE =
      Pattern.compile(
          "`((?:(?:\\./)?slipstream [a-z]|\\./mvnw\\b|java -|config/release "
              + "|integration-tests/[\\w/-]+ )[^`\n]*)`");
  private static final Pattern PLACEHOLDER = Pattern.compile("[A-Z]+(\\.\\.\\.)?");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  /** Commands that look and change nothing, whatever runs on this machine. */
  private static final Set<String> RUN =
      Set.of("ps", "ps --totals", "ps --sessions", "ps --json", "doctor", "off --all", "on --all");

  /** Makes the key of a cluster, in the directory where it is typed. */
  private static final String KEY = "head -c 32 /dev/urandom > cluster.key; chmod 600 cluster.key";

  /** Looks like a command, and is what a key of the wire protocol is made of. */
  private static final String LABEL = "slipstream rdma 4";

  /** The text names commands without all that they need; blocks do not. */
  private static final String MISSING = "Missing required ";

  private static final Map<String, String> PAGES = new TreeMap<>();
  private static String script = "";
  private static String settings = "";
  private static String poms = "";
  private static final Set<String> CLASSES = new TreeSet<>();

  @BeforeAll
  static void read() throws IOException {
    try (Stream<Path> tree = Files.walk(ROOT)) {
      for (Path path : tree.filter(Files::isRegularFile).toList()) {
        String name = ROOT.relativize(path).toString();
        if (name.matches("(README|CONTRIBUTING|SECURITY|SUPPORT)\\.md|docs/(models/)?[^/]*\\.md")) {
          PAGES.put(name, Files.readString(path));
        } else if (name.endsWith("pom.xml") && !name.contains("target/")) {
          poms += Files.readString(path);
        } else if (name.endsWith(".java") && !name.contains("target/")) {
          CLASSES.add(path.getFileName().toString().replace(".java", ""));
        }
      }
    }
    script = Files.readString(ROOT.resolve("slipstream"));
    settings = Files.readString(ROOT.resolve("docs/CONFIGURATION.md"));
  }

  /** A command of a page. */
  private record Shown(String page, String text, boolean marked) {}

  private static List<Shown> fenced() {
    List<Shown> all = new ArrayList<>();
    PAGES.forEach((page, text) -> {
      for (MatchResult block : BLOCK.matcher(text).results().toList()) {
        List<String> lines = block.group(2).replace("\\\n", " ").lines().toList();
        boolean prompts = lines.stream().anyMatch(line -> PROMPT.matcher(line.strip()).matches());
        for (String line : lines) {
          Matcher prompt = PROMPT.matcher(line.strip());
          if (!prompts || prompt.matches()) {
            String plain = prompts ? prompt.group(1) : line.strip();
            for (String each : plain.split("\\s{4,}(?=\\./)", -1)) {
              String command = COMMENT.matcher(each).replaceFirst("").strip();
              if (COMMAND.matcher(command).matches()) {
                all.add(new Shown(page, command, block.group(1) != null));
              }
            }
          }
        }
      }
    });
    return all;
  }

  @Test
  void eachCommandIsThereWithItsOptionsOrIsMarked() {
    List<Shown> all = fenced();
    assertThat(all).hasSizeGreaterThan(50);
    List<Shown> named = new ArrayList<>();
    PAGES.forEach((page, text) ->
        INLINE
            .matcher(text)
            .results()
            .map(code -> code.group(1))
            .filter(code -> !code.contains("...") && !code.contains("…"))
            .filter(code -> !code.equals(LABEL))
            .forEach(code -> named.add(new Shown(page, code, false))));
    assertThat(named).hasSizeGreaterThan(50);
    Set<String> wrong = new TreeSet<>();
    for (Shown shown : all) {
      if (!shown.marked()) {
        object(shown, objection(shown.text()), wrong);
      }
    }
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
              : "it is not known to this test; mark its block";
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
  void whatOnlyLooksIsRun(@TempDir Path directory) throws Exception {
    String jar = Path.of(System.getProperty("slipstream.jar")).normalize().toString();
    Set<String> commands = new TreeSet<>();
    for (Shown shown : fenced()) {
      Matcher tool = Pattern.compile("(?:\\./)?slipstream (.*)").matcher(shown.text());
      if (tool.matches() && RUN.contains(tool.group(1))) {
        commands.add(tool.group(1));
      }
    }
    assertThat(commands).containsAll(RUN);
    for (String command : commands) {
      List<String> all =
          new ArrayList<>(
              List.of(System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1"));
      all.add("-Dslipstream.dir=" + directory.resolve("run")); // doctor's
      all.addAll(List.of("-jar", jar));
      all.addAll(List.of(command.split(" ", -1)));
      if (!command.equals("doctor")) {
        all.add("--dir=" + directory.resolve("run"));
      }
      Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
      assertThat(process.exitValue()).as(command + ": " + said).isZero();
    }
  }

  @Test
  void aClustersKeyIsMade(@TempDir Path directory) throws Exception {
    assertThat(fenced()).anyMatch(shown -> shown.text().equals(KEY));
    Process process = new ProcessBuilder("sh", "-c", KEY).directory(directory.toFile()).start();
    assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
    assertThat(process.exitValue()).isZero();
    Path key = directory.resolve("cluster.key");
    assertThat(key).hasSize(32);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(key)))
        .isEqualTo("rw-------");
  }
}
