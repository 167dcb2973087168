package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.it.process.Tool.Said;

/** Whatever is wrong at the start: the program works on TCP, and one line says what is wrong. */
class BadConfigurationIT {
  @RegisterExtension final Children children = new Children();

  @ParameterizedTest
  @CsvSource({
    "-Dslipstream.rnig.size=64k,       slipstream.rnig.size",
    "-Dslipstream.ring.size=many,      slipstream.ring.size=many",
    "-Dslipstream.ring.size=100000,    slipstream.ring.size=100000",
    "-Dslipstream.ring.size=1,         slipstream.ring.size=1",
    "-Dslipstream.memory.limit=-1,     slipstream.memory.limit=-1",
    "-Dslipstream.spin.max=x,          slipstream.spin.max=x",
    "-Dslipstream.transports=tcp,      slipstream.transports=tcp",
    "-Dslipstream.enabled=yes,         slipstream.enabled=yes",
    "-Dslipstream.dir=,                slipstream.dir= is empty",
    "-Dslipstream.ring.size=,          slipstream.ring.size= is empty",
    "-Dslipstream.rules.file=,         slipstream.rules.file= is empty",
    "-Dslipstream.doorbell=pipe,       slipstream.doorbell=pipe is neither auto nor tcp",
    "-Dslipstream.ntb.hosts=,          slipstream.ntb.hosts= is empty",
    "-Dslipstream.rdma.inline.max=,    slipstream.rdma.inline.max= is empty"
  })
  void aSettingThatCanNotBeUnderstoodGivesOneLineAndTcp(String flag, String mentioned)
      throws Exception {
    Peer peer = children.accelerated(flag);
    assertWorksOnTcp(peer);
    assertOneLine(peer, mentioned);
  }

  @Test
  void theSettingIsNamedWithoutTheAgentToo() throws Exception {
    Peer peer = children.withProvider("-Dslipstream.ring.size=many");
    assertWorksOnTcp(peer);
    assertOneLine(peer, "slipstream.ring.size=many");
  }

  @Test
  void aProcessorThatIsNotKnownGivesOneLineAndTcpWithoutTheAgentToo() throws Exception {
    Peer peer = children.withProvider("-Dos.arch=s390x");
    assertWorksOnTcp(peer);
    assertOneLine(peer, "Slipstream needs x86-64");
  }

  @Test
  void aMissingParentOfTheDirectoryGivesOneLineAndTcp() throws Exception {
    Path missing = children.home().resolve("missing/run");
    Peer peer = children.accelerated("-Dslipstream.dir=" + missing);
    assertWorksOnTcp(peer);
    assertOneLine(peer, missing.toString());
    assertThat(missing.getParent()).doesNotExist();
  }

  @Test
  void aDirectoryThatOthersMayEnterGivesOneLineAndTcp() throws Exception {
    Files.createDirectory(children.directory());
    Files.setPosixFilePermissions(
        children.directory(), PosixFilePermissions.fromString("rwxr-xr-x"));
    Peer peer = children.accelerated();
    assertWorksOnTcp(peer);
    assertOneLine(peer, children.directory().toString());
    assertThat(children.directory()).isEmptyDirectory();
  }

  @Test
  void aSymbolicLinkInPlaceOfTheDirectoryGivesOneLineAndTcp() throws Exception {
    Path target = Files.createDirectory(children.home().resolve("target"));
    Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwx------"));
    Files.createSymbolicLink(children.directory(), target);
    Peer peer = children.accelerated();
    assertWorksOnTcp(peer);
    assertOneLine(peer, children.directory().toString());
    assertThat(target).isEmptyDirectory();
  }

  @Test
  void aFileInPlaceOfTheDirectoryGivesOneLineAndTcp() throws Exception {
    Files.writeString(children.directory(), "mine");
    Peer peer = children.accelerated();
    assertWorksOnTcp(peer);
    assertOneLine(peer, children.directory().toString());
    assertThat(children.directory()).hasContent("mine");
  }

  /** With a hundred names of processes in it, which are not to be printed. */
  private void takenByAnotherUser() throws Exception {
    Path scope = Files.createDirectories(children.directory().resolve("0a1b2c3d-1"));
    for (int i = 0; i < 100; i++) {
      Files.createFile(Files.createDirectory(scope.resolve("process-" + i)).resolve("ctl"));
    }
    try {
      Files.setAttribute(children.directory(), "unix:uid", 65534);
    } catch (IOException e) {
      require(false, "only root can make a directory of another user");
    }
  }

  @Test
  void aProcessThatOnlyConnectsSaysThatAnotherUserTookTheDirectory() throws Exception {
    takenByAnotherUser();
    Peer plain = children.plain();
    int port = plain.echo("l");
    Peer peer = children.accelerated();
    for (String name : List.of("c", "d")) {
      peer.ask("connect " + name + " " + port);
      peer.ask("exchange " + name + " 50 20000 1");
    }
    Children.soon().until(() -> !peer.errors().isEmpty());
    assertOneLine(peer, "connected streams stay on TCP: " + children.directory() + " belongs to ");
  }

  @Test
  void aProcessThatListensSaysThatAnotherUserTookTheDirectory() throws Exception {
    takenByAnotherUser();
    Peer peer = children.accelerated();
    peer.echo("l");
    peer.echo("m");
    assertOneLine(peer, "accepted streams stay on TCP: " + children.directory() + " belongs to ");
  }

  @Test
  void theToolsSayThatAnotherUserTookTheDirectory() throws Exception {
    takenByAnotherUser();
    String directory = children.directory().toString();
    for (String[] command : new String[][] {{"ps"}, {"ps", "--json"}, {"off", "--all"}}) {
      List<String> all = new ArrayList<>(List.of(command));
      all.addAll(List.of("--dir", directory));
      Said said = Tool.run(List.of(), all.toArray(String[]::new));
      assertThat(said.text())
          .startsWith("slipstream: SL041: No process can be asked: " + directory + " belongs to ")
          .hasLineCount(1);
      assertThat(said.code()).isEqualTo(1);
    }
    Said said = Tool.run(List.of(), "doctor", "--no-exchange", "--dir", directory);
    assertThat(said.text())
        .containsPattern("(?m)^directory +! " + directory + " belongs to .*; remove it or set ");
  }

  @Test
  void theToolsSayThatADirectoryDoesNotExist() throws Exception {
    Path missing = children.home().resolve("missing");
    Said ps = Tool.run(List.of(), "ps", "--dir", missing.toString());
    assertThat(ps.text()).contains(missing + " does not exist, so no process runs with it");
    assertThat(ps.code()).isZero();
    Said doctor =
        Tool.run(List.of(), "doctor", "--no-exchange", "--dir", missing.resolve("run").toString());
    assertThat(doctor.text())
        .containsPattern(
            "(?m)^directory +! " + missing + "/run: its parent directory does not exist")
        .doesNotContain("slow");
  }

  /** As server and as client, of a plain program and of itself; two listeners for two attempts. */
  private void assertWorksOnTcp(Peer peer) throws Exception {
    int port = peer.echo("l");
    peer.echo("second");
    peer.ask("connect self " + port);
    peer.ask("exchange self 50 20000 1");
    Peer other = children.plain();
    other.ask("connect c " + port);
    other.ask("exchange c 50 20000 2");
    peer.ask("connect c " + other.echo("l"));
    peer.ask("exchange c 50 20000 3");
    assertThat(children.streams()).noneMatch(StreamLine::onRing);
  }

  private static void assertOneLine(Peer peer, String mentioned) throws Exception {
    assertThat(peer.end()).isZero();
    assertThat(peer.foreignOutput()).isEmpty();
    assertThat(peer.errors()).as("standard error").hasSize(1);
    assertThat(peer.errors().getFirst()).contains(mentioned);
  }
}
