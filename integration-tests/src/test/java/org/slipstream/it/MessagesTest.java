package org.slipstream.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.MessageCode;

/** Each message has a code, each code a section of {@code docs/MESSAGES.md}, and the other way. */
class MessagesTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final List<String> PRODUCT =
      List.of(
          "agent",
          "memory",
          "memory-zookeeper",
          "metrics-micrometer",
          "netty-channel",
          "socketimpl-provider",
          "transport-api",
          "transport-core",
          "transport-ntb",
          "transport-rdma",
          "transport-shm");

  private static final Pattern SECTION =
      Pattern.compile(
          "(?m)^## (SL[0-9]{3})\n\n(`.*)\n\n\\*\\*Means\\*\\*: .+\n\n\\*\\*Do\\*\\*: .+$");

  /** From the call to the end of the statement. */
  private static final Pattern SAID =
      Pattern.compile("(?s)(System\\.err\\.print\\w*\\(|\\bLevel\\.(?:WARNING|INFO|ERROR)\\b).*?;");

  /** Progress of commands, and the launchers, which run on a Java that can not load the codes. */
  private static final Pattern WITHOUT =
      Pattern.compile(
          "\"fabric: \" \\+ what|\"slipstream try: with(?:out)? Slipstream\""
              + "|RunningJava\\.line\\(\\)|\"slipstream: SL001: Slipstream is off, sockets stay");

  private static List<String> codes() {
    return Arrays.stream(MessageCode.values()).map(MessageCode::code).toList();
  }

  @Test
  void eachCodeHasASectionInTheOrderOfTheCodes() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/MESSAGES.md"));
    List<MatchResult> sections = SECTION.matcher(page).results().toList();
    assertThat(sections).extracting(section -> section.group(1)).containsExactlyElementsOf(codes());
    assertThat(codes()).isSorted().doesNotHaveDuplicates();
    assertThat(page.lines().filter(line -> line.startsWith("## "))).hasSize(sections.size());
    assertThat(sections)
        .allSatisfy(section -> assertThat(section.group(2)).contains(section.group(1) + ": "));
  }

  @Test
  void whatIsSaidHasACode() throws IOException {
    List<String> without = new ArrayList<>();
    int said = 0;
    for (String module : PRODUCT) {
      try (Stream<Path> tree = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
        for (Path file : tree.filter(path -> path.toString().endsWith(".java")).toList()) {
          for (MatchResult each : SAID.matcher(Files.readString(file)).results().toList()) {
            said++;
            String text = each.group();
            if (!text.contains("MessageCode.") && !WITHOUT.matcher(text).find()) {
              without.add(ROOT.relativize(file) + ": " + text);
            }
          }
        }
      }
    }
    assertThat(said).isGreaterThan(25);
    assertThat(without).isEmpty();
  }

  @Test
  void theLaunchersWriteTheCodesOfTheTable() throws IOException {
    Path launch = ROOT.resolve("agent/src/main/java/org/slipstream/agent/launch");
    Path older = ROOT.resolve("socketimpl-provider/src/main/java/org/slipstream/provider/older");
    assertThat(launch.resolve("AgentLauncher.java"))
        .content()
        .contains("\"" + MessageCode.OFF.line("Slipstream is off, sockets stay plain TCP: "));
    assertThat(older.resolve("RunningJava.java"))
        .content()
        .contains("\"" + MessageCode.OLD_JAVA.line("\" + complaint()"));
  }
}
