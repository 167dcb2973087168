package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.Ulimit;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.process.Boxes.Box;

/**
 * Containers as hosts: with a common directory all their streams are on the ring, without it each
 * is on TCP and says why; {@link ContainerFaultsIT} has what is done to them.
 */
class ContainersIT {
  private static final String SHARED = "-Dslipstream.dir=/shared/run";

  /** Why a stream is plain where there is no room for its ring. */
  private static final Set<String> NO_ROOM = Set.of("NO_MEMORY", "REFUSED", "REVOKED");

  @RegisterExtension static final Engine ENGINE = new Engine();

  // Containers end first, and then the directory that they share goes.
  @Order(1)
  @RegisterExtension
  final Children children = new Children();

  @Order(2)
  @RegisterExtension
  final Boxes boxes = new Boxes(children);

  private Consumer<HostConfig> sharing() {
    return Boxes.sharing(children.home());
  }

  private BoxPair sharingPair(Consumer<HostConfig> settings) throws Exception {
    Box a = boxes.start(settings);
    Box b = boxes.start(settings);
    return BoxPair.connect(a, a.accelerated(SHARED), b, b.accelerated(SHARED));
  }

  // -- on the ring -----------------------------------------------------------------------------

  @Test
  void containersWithACommonDirectoryAreOnTheRing() throws Exception {
    BoxPair pair = sharingPair(sharing()).onTheRing();
    assertThat(pair.clientBox().streams("--dir", "/shared/run"))
        .as("what ps says in either container is what both say")
        .hasSize(2 * pair.streams())
        .allMatch(StreamLine::onRing)
        .allMatch(s -> s.ringIn() > 1000 && s.ringOut() > 1000);
    pair.assertNoErrors();
  }

  @Test
  void containersWithACommonIpcNamespaceAreOnTheRingByDefault() throws Exception {
    Box a = boxes.start(host -> host.withIpcMode("shareable").withShmSize(256L << 20));
    Box b = boxes.start(host -> host.withIpcMode("container:" + a.id()));
    BoxPair pair = BoxPair.connect(a, a.accelerated(), b, b.accelerated()).onTheRing();
    assertThat(b.streams()).hasSize(2 * pair.streams()).allMatch(StreamLine::onRing);
    pair.assertNoErrors();
  }

  @Test
  void aReadOnlyRootDoesNotMatter() throws Exception {
    BoxPair pair = sharingPair(sharing().andThen(host -> host.withReadonlyRootfs(true)));
    for (Box box : List.of(pair.serverBox(), pair.clientBox())) {
      assertThat(box.run("echo x > /opt/x")).contains("Read-only file system");
    }
    pair.onTheRing().assertNoErrors();
  }

  /** Who needs locked memory is told; shared memory needs none. */
  @Test
  void littleLockedMemoryDoesNotMatterToSharedMemory() throws Exception {
    BoxPair pair =
        sharingPair(
            sharing()
                .andThen(
                    host -> host.withUlimits(List.of(new Ulimit("memlock", 65_536L, 65_536L)))));
    for (Box box : List.of(pair.serverBox(), pair.clientBox())) {
      assertThat(box.run("ulimit -l").strip()).as("KiB").isEqualTo("64");
    }
    // With ! where this machine has a device for RDMA.
    assertThat(pair.serverBox().doctor(SHARED, "-Dslipstream.transports=shm"))
        .containsPattern("(?m)^memlock +(! )?65536")
        .containsPattern("(?m)^shm +works: ");
    pair.onTheRing().assertNoErrors();
  }

  /** A newcomer names an image by a property; this is the one of the tests by another name. */
  @Test
  void theImageIsTheOneThatThePropertySays() throws Exception {
    assumeTrue(Engine.hasOwnImage(), "all tests use the image that the property says");
    String other = "slipstream-it-other:tagged";
    Engine.docker("tag", Engine.image(), other);
    System.setProperty(Engine.PROPERTY, other);
    try {
      BoxPair pair = sharingPair(sharing());
      assertThat(pair.serverBox().image()).isEqualTo(other);
      assertThat(pair.clientBox().image()).isEqualTo(other);
      pair.onTheRing().assertNoErrors();
    } finally {
      System.clearProperty(Engine.PROPERTY);
      boxes.closeAll();
      Engine.docker("rmi", other);
    }
  }

  @Test
  void theDefaultTmpfsIsEnoughForManyStreams() throws Exception {
    Box a = boxes.start(host -> host.withIpcMode("shareable"));
    Box b = boxes.start(host -> host.withIpcMode("container:" + a.id()));
    assertThat(b.run("df -k /dev/shm")).as("Docker's default").contains(" 65536 ");
    BoxPair pair = BoxPair.connect(a, a.accelerated(), b, b.accelerated(), 20).onTheRing();
    assertThat(b.streams()).hasSize(40).allMatch(StreamLine::onRing);
    pair.assertNoErrors();
  }

  // -- on TCP ----------------------------------------------------------------------------------

  @Test
  void containersWithNothingInCommonSpeakTcp() throws Exception {
    Box a = boxes.start(host -> {});
    Box b = boxes.start(host -> {});
    BoxPair pair = BoxPair.connect(a, a.accelerated(), b, b.accelerated());
    pair.assertPlain(pair.client(), "NO_TRANSPORT");
    pair.assertPlain(pair.server(), "NOT_YET_ELIGIBLE");
    assertThat(a.streams()).as("neither sees the other").hasSize(pair.streams());
    assertThat(b.streams()).hasSize(pair.streams());
    pair.assertNoErrors();
  }

  @Test
  void aMixedPairSpeaksTcp() throws Exception {
    Box a = boxes.start(sharing());
    Box b = boxes.start(sharing());
    Peer stock = a.plain();
    Peer ours = b.accelerated(SHARED);
    BoxPair toStock = BoxPair.connect(a, stock, b, ours);
    toStock.assertPlain(ours, "NO_TRANSPORT"); // no other process is in the directory
    ours.ask("closeMany c");
    BoxPair fromStock = BoxPair.connect(b, ours, a, stock);
    fromStock.assertPlain(ours, "NOT_YET_ELIGIBLE"); // no client offers them
    fromStock.assertNoErrors();
  }

  @Test
  void aMixedPairBesideOthersSpeaksTcp() throws Exception {
    Box a = boxes.start(sharing());
    Box b = boxes.start(sharing());
    Box c = boxes.start(sharing());
    Peer neighbour = c.accelerated(SHARED);
    Peer ours = b.accelerated(SHARED);
    BoxPair.connect(c, neighbour, b, ours).onTheRing();
    ours.ask("closeMany c");
    BoxPair pair = BoxPair.connect(a, a.plain(), b, ours);
    pair.assertPlain(ours, "PEER_NOT_ACCELERATED");
    pair.assertNoErrors();
  }

  @Test
  void anotherUserSpeaksTcp() throws Exception {
    Box a = boxes.start(sharing());
    Box b = boxes.startAs("1000:1000", sharing());
    Peer owner = a.accelerated(SHARED);
    Peer other = b.accelerated(SHARED);
    BoxPair there = BoxPair.connect(a, owner, b, other);
    there.assertPlain(other, "NO_TRANSPORT");
    there.assertPlain(owner, "NOT_YET_ELIGIBLE");
    assertThat(other.errors()).as("it announced nothing").isEmpty();
    other.ask("closeMany c");
    BoxPair back = BoxPair.connect(b, other, a, owner);
    back.assertPlain(owner, "NO_TRANSPORT");
    back.assertPlain(other, "NOT_YET_ELIGIBLE");
    assertThat(other.errors()).hasSize(1);
    assertThat(other.errors().getFirst()).contains("accepted streams stay on TCP", "/shared/run");
    assertThat(owner.errors()).isEmpty();
  }

  @Test
  void aFullTmpfsMeansTcpWithTheReason() throws Exception {
    Box a = boxes.start(host -> host.withIpcMode("shareable"));
    Box b = boxes.start(host -> host.withIpcMode("container:" + a.id()));
    assertThat(a.run("dd if=/dev/zero of=/dev/shm/ballast bs=4k")).contains("No space left");
    BoxPair pair = BoxPair.connect(a, a.accelerated(), b, b.accelerated());
    pair.assertPlain(pair.client(), "NO_MEMORY");
    pair.assertPlain(pair.server(), "NOT_YET_ELIGIBLE"); // no end could offer them
    pair.assertNoErrors();
  }

  /** Each stream is on the ring or says that there was no room; each byte is compared. */
  @Test
  void aTmpfsThatIsTooSmallForAllCarriesWhatFits() throws Exception {
    Box a = boxes.start(host -> host.withIpcMode("shareable").withShmSize(4L << 20));
    Box b = boxes.start(host -> host.withIpcMode("container:" + a.id()));
    BoxPair pair = BoxPair.connect(a, a.accelerated(), b, b.accelerated(), 80);
    Children.soon()
        .untilAsserted(() -> {
          pair.client().ask("exchangeMany c 2 100000");
          List<StreamLine> lines = pair.lines();
          assertThat(lines).hasSize(2 * pair.streams());
          assertThat(lines)
              .filteredOn(StreamLine::onRing)
              .isNotEmpty()
              .allMatch(s -> s.ringBytes() > 1000);
          assertThat(lines).as("no room").anyMatch(s -> NO_ROOM.contains(s.reason()));
          assertThat(lines)
              .filteredOn(s -> !s.onRing())
              .allMatch(ContainersIT::hasNoRoom)
              .allMatch(s -> s.plainBytes() > 100_000);
        });
    pair.assertNoErrors();
  }

  private static boolean hasNoRoom(StreamLine line) {
    return NO_ROOM.contains(line.reason())
        || line.reason().equals("RING_FULL")
        || (line.role().equals("server")
            && line.reason().equals("NOT_YET_ELIGIBLE")); // no end could offer it
  }
}
