package org.slipstream.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The files of the forge can be read, and name what is there. No forge has run them from here. */
class ForgeTest {
  private static final Path ROOT = Path.of("..");

  private static List<Path> files(String folder) throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve(".github").resolve(folder))) {
      return files.filter(file -> file.toString().endsWith(".yml")).sorted().toList();
    }
  }

  static List<Path> workflows() throws IOException {
    return files("workflows");
  }

  static List<Path> forms() throws IOException {
    return files("ISSUE_TEMPLATE").stream().filter(file -> !file.endsWith("config.yml")).toList();
  }

  private static Map<?, ?> read(Path file) throws IOException {
    LoaderOptions strict = new LoaderOptions();
    strict.setAllowDuplicateKeys(false);
    return new Yaml(new SafeConstructor(strict)).load(Files.readString(file));
  }

  /** All values of this name, wherever they are. */
  private static List<String> values(Object node, String name) {
    List<String> found = new ArrayList<>();
    if (node instanceof Map<?, ?> map) {
      map.forEach((key, value) -> {
        if (name.equals(key)) {
          found.add(String.valueOf(value));
        }
        found.addAll(values(value, name));
      });
    } else if (node instanceof List<?> list) {
      list.forEach(element -> found.addAll(values(element, name)));
    }
    return found;
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void aWorkflowRunsCommandsOfThisTree(Path file) throws IOException {
    Map<?, ?> workflow = read(file);
    assertThat(workflow.get("name")).isEqualTo(file.getFileName().toString().replace(".yml", ""));
    assertThat((Object) workflow.get("permissions")).isEqualTo(Map.of("contents", "read"));
    assertThat(workflow.get(true)).as("on:, which YAML 1.1 reads as a truth value").isNotNull();
    assertThat((Map<?, ?>) workflow.get("jobs"))
        .isNotEmpty()
        .allSatisfy((name, job) ->
            assertThat(((Map<?, ?>) job).keySet())
                .as(name.toString())
                .extracting(Object::toString)
                .contains("runs-on", "timeout-minutes", "steps"));
    assertThat(values(workflow, "uses")).isNotEmpty().allMatch(use -> use.matches(".+@v\\d+"));
    assertThat(values(workflow, "java-version")).isNotEmpty().allMatch("25"::equals);
    assertThat(values(workflow, "run"))
        .isNotEmpty()
        .allSatisfy(run ->
            assertThat(Stream.of(run.split(" ", -1)))
                .as(run)
                .anyMatch(word -> word.contains("/") && Files.isExecutable(ROOT.resolve(word))));
  }

  @ParameterizedTest
  @MethodSource("forms")
  void aFormAsksForSomething(Path file) throws IOException {
    Map<?, ?> form = read(file);
    for (String member : List.of("name", "description", "body")) {
      assertThat((Object) form.get(member)).as(member).isNotNull();
    }
    for (Object element : (List<?>) form.get("body")) {
      Map<?, ?> question = (Map<?, ?>) element;
      assertThat(question.get("type").toString()).isIn("markdown", "textarea", "input");
      assertThat(
              values(question.get("attributes"), "label").size()
                  + values(question.get("attributes"), "value").size())
          .isPositive();
    }
    assertThat(values(form, "required")).contains("true");
  }
}
