package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.it.guest.EmulatedJava;

/**
 * Two processes with the agent on one host, one of x86-64 and one of AArch64, or another processor:
 * what each lays out in memory, and asks of the kernel, has to be the same for both. So it is with
 * images of two processors on a machine that emulates one of them.
 */
class OtherProcessorPeersIT {
  @RegisterExtension final Children children = new Children();

  private Peer emulated(String... flags) throws Exception {
    List<String> command = children.acceleratedCommand(List.of(), flags);
    command.set(0, EmulatedJava.home().resolve("bin/java").toString());
    return children.launch(command).awaitReady();
  }

  private void exchange(Peer server, String habit, Peer client) throws Exception {
    int port = server.port("l");
    server.ask("serve l " + habit);
    client.ask("connect c " + port);
    children.upgrade(client, "c");
    children.carry(client, "exchange c 50 20000 42", 2 * 50 * 9_000);
  }

  private static void assertSilent(Peer peer) throws Exception {
    assertThat(peer.end()).isZero();
    assertThat(peer.foreignOutput()).isEmpty();
    assertThat(peer.errors()).isEmpty();
  }

  @Test
  void bytesTravelOverTheRingToAnEventLoopOfTheOther() throws Exception {
    Peer server = emulated();
    Peer client = children.accelerated();
    exchange(server, "echoSelector", client);
    assertSilent(server);
    assertSilent(client);
  }

  /** Each blocked thread is woken by the other process, through a word in shared memory. */
  @Test
  void eachRingsTheFutexOfTheOther(@TempDir Path logs) throws Exception {
    Peer server = children.accelerated(AsleepPair.ASLEEP);
    Peer client = emulated(AsleepPair.ASLEEP, AsleepPair.loadedInto(logs));
    AsleepPair pair = AsleepPair.connect(children, server, client);
    pair.awaitFutex(server);
    pair.awaitFutex(client);
    AsleepPair.assertNothingLinked(logs, client);
    assertSilent(client);
    assertSilent(server);
  }
}
