package org.slipstream.core.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The model of the upgrade is about these machines: it names their states and actions as they do,
 * and says of each of their events where it is, or why it is not.
 */
class ModelNamesTest {
  private static final Path MODEL = Path.of("..", "docs", "models", "upgrade.pml");

  private static String text = "";

  @BeforeAll
  static void read() throws IOException {
    text = Files.readString(MODEL);
  }

  @Test
  void theStatesAreThoseOfTheModel() {
    assertThat(phases("sendA")).isEqualTo(names(SendSwitch.State.values()));
    assertThat(phases("recvB")).isEqualTo(names(ReceiveSwitch.State.values()));
  }

  @Test
  void whatAWriterDoesIsWhatTheModelDoes() {
    assertThat(found("^([A-Z_]+):", process("sendA"))).isEqualTo(names(SendSwitch.Action.values()));
  }

  @Test
  void theModelSaysOfEachEventWhereItIs() {
    Set<String> events = events(SendSwitch.class);
    events.addAll(events(ReceiveSwitch.class));
    assertThat(found("^ \\*   ((?:Send|Receive)Switch\\.\\w+) {2,}\\S", text)).isEqualTo(events);
  }

  @Test
  void whatIsSaidToBeInTheModelIsThere() {
    String code = process("sendA") + process("recvB");
    Set<String> labels =
        found("^ \\*   (?:Send|Receive)Switch\\.\\w+ {2,}(?!not modelled: )(\\w+)", text);
    assertThat(labels).isNotEmpty();
    assertThat(found("^(\\w+):", code)).containsAll(labels);
  }

  /** The states that the phase of a process is compared with, or set to. */
  private static Set<String> phases(String process) {
    Set<String> states = found("\\bphase ={1,2} ([A-Z]+)\\b", process(process));
    if (process(process).contains("IS_TCP")) {
      states.addAll(found("\\bphase == ([A-Z]+)\\b", only("(?m)^#define IS_TCP (.*)$", text)));
    }
    return states;
  }

  /** The first process of a name; the second one is of an unrelated peer. */
  private static String process(String name) {
    return only("(?ms)^active proctype " + name + "\\(\\) \\{$(.*?)^\\}$", text);
  }

  private static String only(String pattern, String in) {
    return Pattern.compile(pattern)
        .matcher(in)
        .results()
        .map(found -> Objects.requireNonNull(found.group(1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("the model has no " + pattern));
  }

  private static Set<String> found(String pattern, String in) {
    return Pattern.compile(pattern, Pattern.MULTILINE)
        .matcher(in)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).collect(Collectors.toCollection(TreeSet::new));
  }

  /** What changes a machine: its public methods that answer nothing. */
  private static Set<String> events(Class<?> machine) {
    return Arrays.stream(machine.getDeclaredMethods())
        .filter(method -> Modifier.isPublic(method.getModifiers()))
        .filter(method -> method.getReturnType() == void.class)
        .map(Method::getName)
        .map(name -> machine.getSimpleName() + "." + name)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
