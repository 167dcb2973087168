package org.slipstream.core.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RulesTest {
  private static final InetSocketAddress LOCAL = at("127.0.0.1", 50_000);

  private static InetSocketAddress at(String address, int port) {
    return new InetSocketAddress(InetAddress.ofLiteral(address), port);
  }

  private static boolean connect(String rules, String remote, int port) {
    return Rules.parse("test", rules).allow(true, LOCAL, at(remote, port), "App");
  }

  @Test
  void withoutRulesEverythingIsOn() {
    assertThat(connect("", "10.0.0.1", 80)).isTrue();
    assertThat(connect(" \n# nothing\n;;\n", "10.0.0.1", 80)).isTrue();
  }

  @Test
  void theFirstMatchDecides() {
    String rules = "on port 80 # web\noff address 10.0.0.0/8\non address 10.1.0.0/16";
    assertThat(connect(rules, "10.1.0.1", 80)).isTrue();
    assertThat(connect(rules, "10.1.0.1", 81)).isFalse();
    assertThat(connect(rules, "11.1.0.1", 81)).isTrue();
  }

  @Test
  void thePortIsTheListeners() {
    Rules rules = Rules.parse("test", "off port 8000-8999");
    assertThat(rules.allow(true, at("127.0.0.1", 8000), at("127.0.0.1", 1), "A")).isTrue();
    assertThat(rules.allow(true, at("127.0.0.1", 1), at("127.0.0.1", 8000), "A")).isFalse();
    assertThat(rules.allow(false, at("127.0.0.1", 8999), at("127.0.0.1", 1), "A")).isFalse();
    assertThat(rules.allow(false, at("127.0.0.1", 1), at("127.0.0.1", 8000), "A")).isTrue();
  }

  @Test
  void directionProcessAndAddressAreConditions() {
    Rules rules = Rules.parse("test", "off accept; off process Batch*.jar address fd00::/8");
    assertThat(rules.allow(false, LOCAL, LOCAL, "App")).isFalse();
    assertThat(rules.allow(true, LOCAL, LOCAL, "App")).isTrue();
    assertThat(rules.allow(true, LOCAL, at("fd12::1", 1), "Batch-1.jar")).isFalse();
    assertThat(rules.allow(true, LOCAL, at("fe12::1", 1), "Batch-1.jar")).isTrue();
    assertThat(rules.allow(true, LOCAL, at("fd12::1", 1), "Batch-1xjar")).isTrue();
    assertThat(rules.allow(true, LOCAL, at("10.0.0.1", 1), "Batch-1.jar")).isTrue();
  }

  @Test
  void offAllIsTheKillSwitch() {
    assertThat(Rules.parse("test", "off all").isAllOff()).isTrue();
    assertThat(Rules.parse("test", "on port 1; off all").isAllOff()).isFalse();
    assertThat(Rules.parse("test", "off connect").isAllOff()).isFalse();
    assertThat(connect("off all", "127.0.0.1", 1)).isFalse();
    assertThat(connect("off address 0.0.0.0/0", "1.2.3.4", 1)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          allow port 80      | begins with 'on' or 'off' and not with 'allow'
          off                | 'off' needs conditions, or 'all'
          off all port 80    | 'all' allows no other condition
          off port           | 'port' needs a value
          off port 80-79     | ports go from 1 to 65535, upwards
          off port 0         | ports go from 1 to 65535, upwards
          off port 99999     | ports go from 1 to 65535, upwards
          off port http      | 'http' is neither a port nor a range
          off address ten    | 'ten' is not a numeric IP address
          off address 1.2.3  | '1.2.3' is not a numeric IP address
          off address 1.2.3.400   | '1.2.3.400' is not a numeric IP address
          off address 10.0.0.0/33 | a prefix has 0 to 32 bits
          off address 10.0.0.1/8  | bits behind the prefix of 8 are set
          off connect accept | a second 'accept' in one rule
          off ports 80       | 'ports' is not a condition
          """)
  void wrongRulesAreRefusedWithLineAndReason(String wrong, String reason) {
    assertThatThrownBy(() -> Rules.parse("my.rules", "on port 1\n\n" + wrong + "\n"))
        .isInstanceOf(Rules.InvalidRuleException.class)
        .hasMessageStartingWith("my.rules, line 3: ")
        .hasMessageContaining(reason);
  }

  @Test
  void aFileIsReadAgainWhenItChanges(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("rules");
    List<String> complaints = new ArrayList<>();
    RuleBook book = RuleBook.open("on port 7", file, "App", complaints::add);
    assertThat(book.allow(true, LOCAL, at("10.0.0.1", 80))).isTrue();
    assertThat(book.refresh()).isFalse();

    write(file, "off all", 1);
    assertThat(book.refresh()).isTrue();
    assertThat(book.refresh()).isFalse();
    assertThat(book.allow(true, LOCAL, at("10.0.0.1", 80))).isFalse();
    assertThat(book.allow(true, LOCAL, at("10.0.0.1", 7))).isTrue();

    write(file, "of all", 2);
    assertThat(book.refresh()).isFalse();
    assertThat(book.refresh()).isFalse();
    assertThat(complaints).singleElement().asString().contains("line 1").contains("'of'");
    assertThat(book.allow(true, LOCAL, at("10.0.0.1", 80))).isFalse();

    Files.delete(file);
    assertThat(book.refresh()).isTrue();
    assertThat(book.allow(true, LOCAL, at("10.0.0.1", 80))).isTrue();
    assertThat(book.switchOff(true)).isTrue();
    assertThat(book.isAllOff()).isTrue();
    assertThat(book.allow(true, LOCAL, at("10.0.0.1", 7))).isFalse();
  }

  private static void write(Path file, String text, int second) throws Exception {
    Files.writeString(file, text);
    Files.setLastModifiedTime(file, FileTime.fromMillis(1_000L * second));
  }
}
