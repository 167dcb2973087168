package org.slipstream.benchmarks;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A comment above a fenced block, for commands in it that {@link DocsIT} does not run: {@code <!--
 * run by: TESTS -->} names test classes, or files of the tree, that do; {@code <!-- not run: REASON
 * -->} says why nothing does. One that is not for the whole block names the beginnings of its
 * commands: {@code <!-- not run (./mvnw, config/release): REASON -->}.
 *
 * @param runs whether something runs them
 * @param which beginnings of commands, none for all
 * @param text the reason, or who runs them
 */
record Mark(boolean runs, List<String> which, String text) {
  private static final Pattern FORM =
      Pattern.compile(" *<!-- (?:(run by)|not run)(?: \\(([^)]+)\\))?: (.+) -->");

  private static final String LIST = ", ";

  /** Of a line, if it is one. */
  static Optional<Mark> of(String line) {
    Matcher form = FORM.matcher(line);
    return form.matches()
        ? Optional.of(
            new Mark(
                form.group(1) != null,
                form.group(2) == null ? List.of() : List.of(form.group(2).split(LIST, -1)),
                form.group(3)))
        : Optional.empty();
  }

  boolean covers(String command) {
    return which.isEmpty() || which.stream().anyMatch(command::startsWith);
  }

  /** Test classes, or files of the tree. */
  List<String> runners() {
    return runs ? List.of(text.split(LIST, -1)) : List.of();
  }
}
