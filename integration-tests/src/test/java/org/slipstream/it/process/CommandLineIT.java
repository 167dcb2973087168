package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.process.Tool.Said;

/**
 * Wrong, missing and superfluous arguments of each command; its help; and that it ends as its help
 * says. {@link DoctorIT} has those of {@code doctor}.
 */
class CommandLineIT {
  @RegisterExtension final Children children = new Children();

  /** The arguments, and the private directory. */
  private Said run(String arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(arguments.split(" ", -1)));
    all.addAll(List.of("--dir", children.directory().toString()));
    return Tool.run(List.of(), all.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "off                     | Give either process ids or --all.",
        "on                      | Give either process ids or --all.",
        "off --all 5             | Give either process ids or --all.",
        "off abc                 | 'abc' is no process id",
        "off 1 abc               | 'abc' is no process id",
        "on 12x                  | '12x' is no process id",
        "off 0                   | '0' is no process id",
        "off -5                  | -5",
        "off 99999999999999      | '99999999999999' is no process id",
        "off --nosuch            | Unknown option: '--nosuch'",
        "ps word                 | Unmatched argument",
        "ps --nosuch             | Unknown option: '--nosuch'",
        "ps --watch=word         | 'word' is not a double",
        "ps --watch=0            | --watch needs a number of seconds above 0",
        "ps --watch=-1           | --watch needs a number of seconds above 0",
        "ps --watch=NaN          | --watch needs a number of seconds above 0",
        "ps --watch=Infinity     | --watch needs a number of seconds above 0",
        "ps --watch=1 --count=0  | --count needs a number from 1 on",
        "ps --watch=1 --count=x  | 'x' is not an int",
        "ps --count=2            | --count says when --watch ends",
        "no-such-command         | 'no-such-command'"
      })
  void aWrongCommandLineIsNamedAndHasTheCode2(String arguments, String said) throws Exception {
    Said wrong = run(arguments);
    assertThat(wrong.text()).contains(said).contains("Usage: slipstream");
    assertThat(wrong.code()).as(wrong.text()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"off --all", "on --all", "ps", "ps --totals", "ps --watch=0.1 --count=1"})
  void whereNothingRunsThatIsSaidAndIsNoFailure(String arguments) throws Exception {
    Said said = run(arguments);
    assertThat(said.text().lines())
        .containsExactly(
            children.directory()
                + " does not exist, so no process runs with it as slipstream.dir.");
    assertThat(said.code()).isZero();
  }

  @Test
  void aProcessThatIsMeantAndDoesNotAnswerIsNamedAndHasTheCode1() throws Exception {
    long unrelated = children.plain().pid();
    Said said = run("off " + unrelated + " " + unrelated);
    assertThat(said.text().lines())
        .containsExactly(
            "Process %d does not run Slipstream with slipstream.dir=%s."
                .formatted(unrelated, children.directory()));
    assertThat(said.code()).isEqualTo(1);
  }

  @Test
  void onAndOffSayWhatBecameOfEachProcess() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    pair.get(1).ask("connect c " + pair.get(0).echo("l"));
    children.upgrade(pair.get(1), "c");
    long server = pair.get(0).pid();
    long client = pair.get(1).pid();
    Children.soon()
        .untilAsserted(() -> {
          Said one = run("off " + server);
          assertThat(one.text()).isEqualTo("process " + server + " is off\n");
          assertThat(one.code()).isZero();
        });
    Children.soon()
        .untilAsserted(() -> {
          Said all = run("on --all");
          assertThat(all.text().lines())
              .containsExactlyInAnyOrder(
                  "process " + server + " is on", "process " + client + " is on");
          assertThat(all.code()).isZero();
        });
    pair.get(1).stop();
    Children.soon()
        .untilAsserted(() -> {
          Said some = run("off --all");
          assertThat(some.text())
              .contains("process " + server + " is off")
              .contains("Process " + client + " did not answer");
          assertThat(some.code()).isEqualTo(1);
        });
    pair.get(1).signal("CONT");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ps", "ss", "off", "on", "doctor", "attach", "try", "report", "fabric"})
  void helpHasAllCodes(String command) throws Exception {
    Said help = Tool.run(List.of(), command, "--help");
    assertThat(help.text())
        .startsWith("Usage: slipstream " + command.replace("ss", "ps") + " ")
        .containsPattern("(?m)^ *0 +\\w")
        .containsPattern("(?m)^ *1 +\\w")
        .containsPattern("(?m)^ *2 +the command line is wrong")
        .containsPattern("(?m)^ *4 +Java is older than 25");
    assertThat(help.code()).isZero();
    assertThat(Tool.run(List.of(), "help", command)).isEqualTo(help);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--help", "-h", "help"})
  void theListOfCommandsHasWholeSentences(String arguments) throws Exception {
    Said help = arguments.isEmpty() ? Tool.run(List.of()) : Tool.run(List.of(), arguments);
    assertThat(help.code()).isZero();
    String commands = help.text().substring(help.text().indexOf("Commands:"));
    for (String sentence : commands.split("(?m)^  (?=\\w)", -1)) {
      assertThat(sentence.strip()).matches("(?s)Commands:|.*\\.");
    }
    assertThat(commands).contains("ps, ss").contains("doctor").contains("off").contains("on ");
  }

  @Test
  void theVersionSaysWhatWasBuiltAndWhatRunsIt() throws Exception {
    Said version = Tool.run(List.of(), "--version");
    assertThat(version.text())
        .matches(
            "slipstream [0-9]+\\.[0-9]+\\.[0-9]+.* \\(commit [^ )]+\\)\\nJava 2[5-9][0-9.+].*\\n");
    assertThat(version.code()).isZero();
  }
}
