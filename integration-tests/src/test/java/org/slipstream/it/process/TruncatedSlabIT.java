package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;

/**
 * Another process truncates the slabs of one session, so that every access to them is a fault, or
 * fills them with noise. Only the streams of that session suffer; the control threads and all
 * others go on.
 */
class TruncatedSlabIT {
  /** Of a slab of 64 windows; its rings are behind them. */
  private static final int CONTROL_BLOCKS = 64 * 256;

  @RegisterExtension final Seed seed = new Seed();
  @RegisterExtension final Children children = new Children();

  private Peer server;
  private Peer healthy;
  private Peer hostile;
  private int port;
  private Set<Path> ofHostile;

  @BeforeEach
  void twoSessions() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    server = pair.get(0);
    healthy = pair.get(1);
    port = server.echo("l");
    healthy.ask("connect c " + port);
    children.upgrade(healthy, "c");
    final Set<Path> before = children.slabs(server);
    hostile = children.accelerated();
    hostile.ask("connect c " + port);
    children.upgrade(hostile, "c");
    ofHostile = children.slabs(server);
    ofHostile.removeAll(before);
    ofHostile.addAll(children.slabs(hostile));
    assertThat(ofHostile).hasSizeGreaterThanOrEqualTo(2);
  }

  private void truncate() throws IOException {
    for (Path slab : ofHostile) {
      try (RandomAccessFile file = new RandomAccessFile(slab.toFile(), "rw")) {
        file.setLength(0);
      }
    }
  }

  @Test
  void aStreamInUseEndsWithAnIoExceptionAndNoOtherNotices() throws Exception {
    truncate();
    CompletableFuture<String> talking = hostile.begin("exchange c 1000 2000 1");
    assertThat(hostile.result(talking, Patience.DEADLINE, "exchange")).startsWith("error java.io.");
    hostile.ask("close c");
    assertOthersGoOn();
  }

  @Test
  void newStreamsOfThatSessionWorkAllTheSame() throws Exception {
    truncate();
    // The control threads now clear a window of a truncated slab, or say how much may be used.
    List<CompletableFuture<String>> first = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      hostile.ask("connect d" + i + " " + port);
      first.add(hostile.begin("exchange d" + i + " 20 2000 1"));
    }
    assertOthersGoOn();
    for (CompletableFuture<String> exchange : first) { // which may have been joined in that memory
      assertThat(hostile.result(exchange, Patience.DEADLINE, "exchange"))
          .matches("ok|error java\\.(io|net)\\..*");
    }
    // The session is over by now; the next one has slabs of its own.
    hostile.ask("connect e " + port);
    Children.soon()
        .untilAsserted(() -> {
          hostile.ask("exchange e 20 2000 1");
          assertThat(children.streams(hostile)).anyMatch(StreamLine::onRing);
        });
  }

  @Test
  void closingAndHalfClosingDoNotFault() throws Exception {
    truncate();
    assertThat(hostile.result(hostile.begin("shutdown c"), Patience.DEADLINE, "shutdown"))
        .isEqualTo("ok");
    assertThat(hostile.result(hostile.begin("readToEnd c 1"), Patience.DEADLINE, "read"))
        .matches("ok (eof|reset) .*");
    assertThat(hostile.result(hostile.begin("close c"), Patience.DEADLINE, "close"))
        .isEqualTo("ok");
    assertOthersGoOn();
  }

  /** Positions, credit, epochs, flags: what a hostile peer may write into its windows. */
  @Test
  void randomWordsInTheWindowsOfASessionEndItsStreamsOnly() throws Exception {
    Random random = seed.random();
    List<RandomAccessFile> slabs = new ArrayList<>();
    for (Path slab : ofHostile) {
      slabs.add(new RandomAccessFile(slab.toFile(), "rw"));
    }
    CompletableFuture<String> talking = hostile.begin("exchange c 100000000 2000 1");
    Children.soon()
        .until(() -> {
          byte[] noise = new byte[CONTROL_BLOCKS];
          random.nextBytes(noise);
          for (RandomAccessFile slab : slabs) {
            slab.seek(0);
            slab.write(noise);
          }
          return talking.isDone();
        });
    assertThat(hostile.result(talking, Patience.DEADLINE, "exchange"))
        .as("seed %s", seed)
        .matches("error (java\\.(io|net)\\.|org\\.slipstream\\..*ProtocolViolation).*");
    for (RandomAccessFile slab : slabs) {
      slab.close();
    }
    hostile.ask("close c");
    assertOthersGoOn();
  }

  private void assertOthersGoOn() throws Exception {
    long before = children.stream(healthy).ringOut();
    healthy.ask("exchange c 50 2000 1");
    assertThat(children.stream(healthy).ringOut()).isGreaterThan(before);
    Peer third = children.accelerated();
    third.ask("connect c " + port);
    Children.soon()
        .untilAsserted(() -> {
          third.ask("exchange c 20 2000 1");
          assertThat(children.stream(third).onRing()).isTrue();
        });
    healthy.ask("connect d " + port);
    Children.soon()
        .untilAsserted(() -> {
          healthy.ask("exchange d 20 2000 1");
          assertThat(children.streams(healthy)).hasSize(2).allMatch(StreamLine::onRing);
        });
    assertThat(server.isAlive()).isTrue();
    assertThat(hostile.isAlive()).isTrue();
  }
}
