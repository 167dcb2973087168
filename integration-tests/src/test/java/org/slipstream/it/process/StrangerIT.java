package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;

/**
 * Another user of the machine cannot attach to, read, stall or crash the streams of this one, not
 * even if the directory's mode lets everybody in.
 */
class StrangerIT {
  private static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

  @RegisterExtension final Children children = new Children();

  private Peer server;
  private Peer client;
  private int port;
  private Census before;
  private PublicCopy copy;

  @AfterEach
  void removeCopy() throws IOException {
    copy.close();
  }

  @BeforeEach
  void streamsOfTheOneUser() throws Exception {
    copy = new PublicCopy();
    List<String> probe = new ArrayList<>(AS_NOBODY);
    probe.addAll(List.of("test", "-r", copy.classes(), "-a", "-x", Children.JAVA));
    try {
      require(
          new ProcessBuilder(probe).start().waitFor() == 0,
          "a JDK and a folder for temporary files that another user can read");
    } catch (IOException e) {
      require(false, "there is no setpriv: " + e.getMessage());
    }
    List<Peer> pair = children.acceleratedPair();
    server = pair.get(0);
    client = pair.get(1);
    port = server.echo("l");
    client.ask("connect c " + port);
    children.upgrade(client, "c");
    before = children.census(server);
  }

  @Test
  void theDirectoryKeepsAStrangerOut() throws Exception {
    assertNothingGained(stranger());
  }

  @Test
  void theKernelTellsAStrangerApartWhereTheDirectoryIsOpen() throws Exception {
    for (Path path : Census.files(children.home())) {
      Files.setPosixFilePermissions(
          path,
          PosixFilePermissions.fromString(Files.isDirectory(path) ? "rwxr-xr-x" : "rwxrwxrwx"));
    }
    Files.setPosixFilePermissions(children.home(), PosixFilePermissions.fromString("rwxr-xr-x"));
    List<String> said = stranger();
    // Names are no secret; what counts is who may talk.
    assertThat(said).anyMatch(l -> l.startsWith("list-directory ["));
    assertThat(said).contains("greet shown-out", "ask-streams shown-out", "crowd shown-out");
    said.removeIf(l -> l.startsWith("list-directory "));
    assertNothingGained(said);
  }

  /** What the stranger says it got, while the one user's stream is busy. */
  private List<String> stranger() throws Exception {
    Path ctl =
        Census.files(children.directory()).stream()
            .filter(p -> p.endsWith("ctl"))
            .findFirst()
            .orElseThrow();
    List<String> command = new ArrayList<>(AS_NOBODY);
    command.addAll(List.of(Children.JAVA, "-cp", copy.classes()));
    command.addAll(
        List.of(
            StrangerProgram.class.getName(),
            children.directory().toString(),
            Long.toString(server.pid()),
            ctl.toString(),
            Integer.toString(port)));
    CompletableFuture<String> busy = client.begin("exchange c 20000 2000 1");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      List<String> said =
          new ArrayList<>(
              new String(process.getInputStream().readAllBytes(), UTF_8).lines().toList());
      assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
      assertThat(said).as("the stranger came to its end").endsWith("done -");
      said.removeLast();
      client.ok(busy, "exchange");
      return said;
    } finally {
      process.destroyForcibly();
    }
  }

  private void assertNothingGained(List<String> said) throws Exception {
    assertThat(said).isNotEmpty().allMatch(l -> l.endsWith(" denied") || l.endsWith(" shown-out"));
    long ring = children.stream(client).ringOut();
    client.ask("exchange c 20 2000 1");
    assertThat(children.stream(client).ringOut()).isGreaterThan(ring);
    children.awaitCensus(server, before);
    assertThat(server.errors()).isEmpty();
    assertThat(client.errors()).isEmpty();
  }
}
