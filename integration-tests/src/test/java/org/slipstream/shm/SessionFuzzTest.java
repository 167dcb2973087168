package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Stream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.slipstream.core.stream.StreamStatus;
import org.slipstream.it.fuzz.Corpus;
import org.slipstream.provider.nio.Installation;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.SlipstreamCarrier;

/**
 * A process of the same user says anything on the session socket of a live process: greetings,
 * slabs, offers, notices about links that exist. A stream of somebody else that is on the ring
 * stays there, with every byte.
 */
class SessionFuzzTest {
  private static final Corpus CORPUS = Corpus.hex("session");

  private static Path home;
  private static SlipstreamCarrier carrier;
  private static Network net;
  private static Pair pair;
  private static int[] census;

  private int conversations;

  @BeforeContainer
  static void start() throws IOException {
    home =
        Files.createTempDirectory(
            Path.of("/dev/shm"),
            "slipstream-fuzz-",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Properties settings = new Properties();
    settings.setProperty("slipstream.dir", home.resolve("run").toString());
    carrier = new SlipstreamCarrier("fuzz", settings, List.of(new ShmTransport()));
    net = new Network(carrier);
    pair = net.settledPair();
    census = carrier.core().census();
  }

  @AfterContainer
  static void stop() throws IOException {
    await().untilAsserted(() -> assertThat(carrier.core().census()).isEqualTo(census));
    net.close();
    carrier.core().stop();
    try (Stream<Path> all = Files.walk(home)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Provide
  Arbitrary<byte[]> inputs() {
    return CORPUS.inputs();
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void whateverIsSaidOthersGoOn(@ForAll("inputs") byte[] input) throws IOException {
    try (SocketChannel hostile = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
      say(hostile, input);
    }
    if (conversations++ % 16 == 0) {
      assertOthersGoOn();
    }
  }

  private static void say(SocketChannel hostile, byte[] input) {
    try {
      hostile.configureBlocking(false); // whoever is shown out must not wait for room
      hostile.write(ByteBuffer.wrap(input));
      hostile.shutdownOutput();
    } catch (IOException e) {
      assertThat(e).hasMessageMatching("Broken pipe|Connection reset.*");
    }
  }

  private static void assertOthersGoOn() throws IOException {
    long before = ring(pair.client());
    Bytes.exchange(pair.client(), pair.server(), "ping");
    Bytes.exchange(pair.server(), pair.client(), "pong");
    assertThat(ring(pair.client())).as("bytes on the ring").isGreaterThan(before);
  }

  private static long ring(SocketChannel channel) {
    StreamStatus status = Objects.requireNonNull(Installation.status(channel));
    return status.ringBytesOut();
  }

  private static Path socket() throws IOException {
    try (Stream<Path> all = Files.walk(home)) {
      return all.filter(p -> p.endsWith("ctl")).findFirst().orElseThrow();
    }
  }
}
