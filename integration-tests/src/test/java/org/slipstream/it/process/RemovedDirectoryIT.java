package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The runtime directory goes while processes run, as the login manager removes it at the last
 * logout of a user. What is on the ring stays there, and processes find each other again.
 */
class RemovedDirectoryIT {
  @RegisterExtension final Children children = new Children();

  private void remove() throws Exception {
    Children.soon()
        .ignoreExceptions() // processes make entries at the same time
        .until(() -> {
          try (Stream<Path> all = Files.walk(children.directory())) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
              Files.deleteIfExists(path);
            }
          }
          return true;
        });
  }

  @Test
  void processesThatRanBeforeFindEachOtherAgain() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    Peer server = pair.get(0);
    Peer client = pair.get(1);
    int port = server.echo("l");
    client.ask("connect c " + port);
    children.upgrade(client, "c");
    remove();

    client.ask("exchange c 20 20000 1");
    client.ask("connect d " + port);
    children.upgrade(client, "d");
    assertThat(children.streams(client)).hasSize(2).allMatch(StreamLine::onRing);
    // More than one slab has room for: the next one needs the directory.
    client.ask("connectMany e " + port + " 70");
    for (int i = 0; i < 70; i++) {
      client.ask("exchange e" + i + " 10 500 1");
    }
    Children.soon()
        .untilAsserted(() -> {
          for (int i = 0; i < 70; i++) {
            client.ask("exchange e" + i + " 2 500 1");
          }
          assertThat(children.streams(client)).hasSize(72).allMatch(StreamLine::onRing);
        });
    assertThat(client.end()).isZero();
    assertThat(server.end()).isZero();
    assertThat(server.errors()).isEmpty();
    assertThat(client.errors()).isEmpty();
    assertThat(Census.files(children.home())).as("left behind").isEmpty();
  }

  @Test
  void aProcessThatStartsAfterwardsFindsAServerThatRanBefore() throws Exception {
    Peer server = children.accelerated();
    int port = server.echo("l");
    server.echo("m");
    remove();
    Peer client = children.accelerated();
    client.ask("connect c " + port);
    children.upgrade(client, "c");
    assertThat(children.streams(server)).hasSize(1);
  }
}
