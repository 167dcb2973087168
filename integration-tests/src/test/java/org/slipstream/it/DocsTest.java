package org.slipstream.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.SourceTree;

/**
 * What the documents name is there: classes, members, tests, files, and what links lead to. A name
 * counts where it is written as code.
 */
class DocsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Says what was, with the names of its time. Its links must lead somewhere all the same. */
  private static final String HISTORY = "CHANGELOG.md";

  /**
   * Names that no source of ours declares: of other projects, of designs that were superseded, of a
   * tag and an event, and keys that are put together.
   */
  private static final Pattern FOREIGN =
      Pattern.compile(
          "(CAP|IBV|MLX5\\w*|OOO)_\\w+|SCI[A-Z]\\w+|EFAULT|MaxDirectMemorySize"
              + "|Epoll\\.isAvailable\\(\\)|Selector\\.wakeup|Link\\.wakes\\(\\)"
              + "|askedToStandDown|LinkReturn|StreamClosed|(ringUsed|wakeUps)(In|Out)");

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
  private static final Pattern FENCED = Pattern.compile("(?ms)^ *```.*?^ *```");
  private static final Pattern NAME =
      Pattern.compile(
          "@?([A-Z]\\w*)((?:\\.\\w+)*)(?:\\(.*)?|([a-z]\\w*)\\(\\)|([a-z]+(?:[A-Z]\\w*){2}…?)");

  /** In a drawing nothing is marked as code: a type by its two humps, or with a member of it. */
  private static final Pattern DRAWN =
      Pattern.compile("\\b[A-Z][a-z0-9]+(?:[A-Z]\\w*(?:\\.[a-z]\\w*)?|\\.[a-z]\\w*)");

  private static final Pattern TEST =
      Pattern.compile("\\b[A-Z]\\w*[a-z](?:IT|Test|Row|Contract)\\b");
  private static final Pattern TYPE =
      Pattern.compile("\\b(?:class|interface|enum|record)\\s+([A-Z]\\w*)([^{]*)");
  private static final Pattern CONSTANT = Pattern.compile("[A-Z0-9_]+");
  private static final Pattern WORD = Pattern.compile("\\w+");

  /** The sources that declare a type, and what its declarations name behind it. */
  private static final Map<String, List<String>> DECLARING = new HashMap<>();

  private static final Map<String, Set<String>> SUPERTYPES = new HashMap<>();

  /** All words of all sources. */
  private static final Set<String> WORDS = new HashSet<>();

  /** Types of the JDK, and of the libraries that tests use. */
  private static final Set<String> LIBRARIES = new HashSet<>();

  private static final List<Path> PAGES = new ArrayList<>();

  @BeforeAll
  static void readTheTree() throws IOException {
    for (Path path : SourceTree.files(ROOT)) {
      String name = path.getFileName().toString();
      if (name.endsWith(".md")) {
        PAGES.add(path);
      } else if (name.matches(".*\\.(java|pml|c|h|sh|xml)")) {
        String text = Files.readString(path);
        matches(WORD, text).forEach(word -> WORDS.add(word.group()));
        if (name.endsWith(".java")) {
          declare(text);
        }
      }
    }
    try (Stream<Path> jdk =
        Files.walk(FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules"))) {
      jdk.forEach(path -> library(path.toString()));
    }
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (entry.endsWith(".jar")) {
        try (JarFile jar = new JarFile(entry)) {
          jar.stream().forEach(e -> library(e.getName()));
        }
      }
    }
  }

  private static void declare(String text) {
    matches(TYPE, text)
        .forEach(type -> {
          DECLARING.computeIfAbsent(type.group(1), t -> new ArrayList<>()).add(text);
          Set<String> supers = SUPERTYPES.computeIfAbsent(type.group(1), t -> new HashSet<>());
          matches(WORD, type.group(2)).forEach(word -> supers.add(word.group()));
        });
  }

  private static void library(String classFile) {
    if (classFile.endsWith(".class")) {
      String name = classFile.substring(classFile.lastIndexOf('/') + 1, classFile.length() - 6);
      Collections.addAll(LIBRARIES, name.split("\\$", -1));
    }
  }

  private static Stream<MatchResult> matches(Pattern pattern, String text) {
    return pattern.matcher(text).results();
  }

  @Test
  void whatIsNamedIsThere() {
    Set<String> stale = new TreeSet<>();
    eachPage((page, text) -> {
      if (page.endsWith(HISTORY)) {
        return;
      }
      Consumer<String> missing = what -> stale.add(ROOT.relativize(page) + ": " + what);
      matches(TEST, text).map(MatchResult::group).filter(t -> !isType(t)).forEach(missing);
      matches(CODE, FENCED.matcher(text).replaceAll(""))
          .map(code -> code.group(1))
          .filter(code -> !isThere(page, code))
          .forEach(missing);
    });
    assertThat(stale).as("stale names in documents").isEmpty();
  }

  @Test
  void whatIsDrawnIsThere() {
    Path page = ROOT.resolve("docs/ARCHITECTURE.md");
    List<String> drawn =
        matches(FENCED, read(page))
            .flatMap(drawing -> matches(DRAWN, drawing.group()))
            .map(MatchResult::group)
            .toList();
    assertThat(drawn).contains("Outbound.writePieces", "Inbound.read", "Offers.accepted");
    assertThat(drawn).allMatch(name -> isThere(page, name));
  }

  private static boolean isThere(Path page, String code) {
    if (code.matches("[\\w.-]+(/[\\w.-]+)+") && isModule(code)) {
      return Files.exists(ROOT.resolve(code)) || Files.exists(page.resolveSibling(code));
    }
    Matcher name = NAME.matcher(code);
    if (!name.matches() || FOREIGN.matcher(code).matches()) {
      return true;
    }
    if (name.group(1) == null) {
      return isWord(name.group(3) == null ? name.group(4) : name.group(3));
    }
    String type = name.group(1);
    if (!DECLARING.containsKey(type)) {
      return isType(type) || (CONSTANT.matcher(type).matches() && WORDS.contains(type));
    }
    return Stream.of(name.group(2).split("\\.", -1))
        .filter(member -> !member.isEmpty())
        .allMatch(member -> has(type, member, new HashSet<>()));
  }

  /** A dot that stands for more makes it a beginning. */
  private static boolean isWord(String name) {
    return name.endsWith("…")
        ? WORDS.stream().anyMatch(w -> w.startsWith(name.substring(0, name.length() - 1)))
        : WORDS.contains(name);
  }

  /** Whether a path begins with a folder of ours, and a build does not make it. */
  private static boolean isModule(String path) {
    return !path.contains("/target/")
        && Files.isDirectory(ROOT.resolve(path.substring(0, path.indexOf('/'))));
  }

  private static boolean isType(String name) {
    return DECLARING.containsKey(name) || LIBRARIES.contains(name);
  }

  /** Whether a type of ours, or one that its declaration names, has a member of that name. */
  private static boolean has(String type, String member, Set<String> seen) {
    if (!seen.add(type)) {
      return false;
    }
    Pattern word = Pattern.compile("\\b" + Pattern.quote(member) + "\\b");
    return DECLARING.getOrDefault(type, List.of()).stream().anyMatch(t -> word.matcher(t).find())
        || SUPERTYPES.getOrDefault(type, Set.of()).stream().anyMatch(s -> has(s, member, seen));
  }

  @Test
  void linksLeadSomewhere() {
    Set<String> broken = new TreeSet<>();
    eachPage((page, text) ->
        matches(LINK, FENCED.matcher(text).replaceAll(""))
            .map(link -> link.group(1))
            .filter(link -> !link.matches("(https?|mailto):.*") && !leadsSomewhere(page, link))
            .forEach(link -> broken.add(ROOT.relativize(page) + ": " + link)));
    assertThat(broken).as("broken links").isEmpty();
  }

  /** A reader has ten minutes for the first page, and one place that knows all the others. */
  @Test
  void theReadmeIsShortAndTheIndexHasEachPage() {
    assertThat(read(ROOT.resolve("README.md")).lines()).hasSizeLessThanOrEqualTo(120);
    Path docs = ROOT.resolve("docs");
    Set<Path> indexed =
        matches(LINK, read(docs.resolve("README.md")))
            .map(link -> docs.resolve(link.group(1)).normalize())
            .collect(Collectors.toSet());
    assertThat(indexed)
        .containsAll(
            PAGES.stream()
                .filter(page -> docs.equals(page.getParent()) && !page.endsWith("README.md"))
                .toList());
  }

  private static boolean leadsSomewhere(Path page, String link) {
    int hash = link.indexOf('#');
    String file = hash < 0 ? link : link.substring(0, hash);
    Path target = file.isEmpty() ? page : page.resolveSibling(file);
    return Files.exists(target)
        && (hash < 0
            || read(target)
                .lines()
                .filter(line -> line.startsWith("#"))
                .anyMatch(heading -> anchor(heading).equals(link.substring(hash + 1))));
  }

  /** As the usual hosts make it of a heading. */
  private static String anchor(String heading) {
    return heading
        .replaceFirst("^#+ *", "")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\w\\- ]", "")
        .replace(' ', '-');
  }

  /** What is done with a page. */
  @FunctionalInterface
  private interface Check {
    void look(Path page, String text);
  }

  private static void eachPage(Check check) {
    assertThat(PAGES).isNotEmpty();
    PAGES.forEach(page -> check.look(page, read(page)));
  }

  private static String read(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
