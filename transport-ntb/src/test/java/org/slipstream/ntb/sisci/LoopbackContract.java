package org.slipstream.ntb.sisci;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The loopback library keeps the rules of the real one, faults included; in both its builds. */
abstract class LoopbackContract {
  private static final int ID = 1000;
  private static final int BYTES = 64 * 1024;

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private NativeTestLibrary natives;
  private SisciLibrary library;

  abstract String variant();

  /** One directory for each library: it is opened once in a process. */
  private static final Path DIRECTORIES = Path.of("target", "loopback-worlds");

  @BeforeEach
  void twoNodes() throws Throwable {
    natives = NativeTestLibrary.of(variant());
    Path directory = DIRECTORIES.resolve(variant() + "-" + ProcessHandle.current().pid());
    Files.createDirectories(directory);
    natives.configure(directory.toAbsolutePath(), "4,8", true);
    library = natives.load();
  }

  @AfterEach
  void close() throws Throwable {
    if (natives != null) { // skipped without a C compiler
      natives.setLink(8, true);
      natives.failChecks(0, 0);
    }
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  private <T extends AutoCloseable> T closing(T resource) {
    open.push(resource);
    return resource;
  }

  private Descriptor descriptor() throws Exception {
    return closing(new Descriptor(library));
  }

  /** A segment on node 8. */
  private LocalSegment segment() throws Exception {
    LocalSegment segment = closing(descriptor().createSegment(ID, BYTES, 0));
    segment.prepare(1, 0);
    segment.setAvailable(1);
    return segment;
  }

  /** Node 4 connects to node 8. */
  private RemoteSegment connect() throws Exception {
    RemoteSegment segment = descriptor().connectSegment(8, ID, 0);
    return segment == null ? null : closing(segment);
  }

  @Test
  void saysWhatItIs() throws Exception {
    assertThat(library.apiVersion()).startsWith("SISCI API version 2.");
    assertThat(library.localNodeId(0)).isEqualTo(4);
    assertThat(library.localNodeId(1)).isEqualTo(8);
    assertThat(library.isLinkUp(0)).isTrue();
    assertThatThrownBy(() -> library.localNodeId(3)).hasMessageContaining("NO_SUCH_ADAPTERNO");
    assertThat(descriptor().probe(0, 8)).isTrue();
  }

  @Test
  void aSegmentCanBeConnectedWhenItIsAvailable() throws Exception {
    assertThat(connect()).isNull();
    LocalSegment segment = closing(descriptor().createSegment(ID, BYTES, 0));
    assertThat(((SisciException) catchThrowable(() -> segment.setAvailable(1))).error())
        .isEqualTo(SisciError.SEGMENT_NOT_PREPARED);
    segment.prepare(1, 0);
    segment.setAvailable(1);
    assertThat(connect().bytes()).isEqualTo(BYTES);
    assertThat(segment.awaitEvent(60_000)).isEqualTo(SegmentEvent.CONNECT);
    assertThat(segment.awaitEvent(0)).isNull();
    assertThat(
            ((SisciException) catchThrowable(() -> descriptor().createSegment(ID, 64, 0))).error())
        .isEqualTo(SisciError.SEGMENTID_USED);
  }

  @Test
  void storesAreInvisibleUntilTheyAreFlushed() throws Exception {
    MemorySegment own = closing(segment().map(0, BYTES)).memory();
    MemorySegment remote = closing(connect().map(0, BYTES)).memory();
    remote.set(JAVA_LONG, 8, 42);
    remote.asSlice(4096, 4096).fill((byte) 7);
    assertThat(own.get(JAVA_LONG, 8)).isZero();
    assertThat(own.get(JAVA_BYTE, 8000)).isZero();
    new Flush(library).flush();
    assertThat(own.get(JAVA_LONG, 8)).isEqualTo(42);
    assertThat(own.get(JAVA_BYTE, 8000)).isEqualTo((byte) 7);
  }

  @Test
  void readingBackSeesThePeersMemory() throws Exception {
    closing(segment().map(0, BYTES)).memory().set(JAVA_LONG, 80, 9);
    SegmentMap map = closing(connect().map(0, BYTES));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment back = arena.allocate(JAVA_LONG);
      map.copyTo(back, 80, 8);
      assertThat(back.get(JAVA_LONG, 0)).isEqualTo(9);
    }
  }

  @Test
  void storesVanishWhileTheLinkIsDownAndOnlyTheSequenceTells() throws Throwable {
    MemorySegment own = closing(segment().map(0, BYTES)).memory();
    RemoteSegment peer = connect();
    SegmentMap map = closing(peer.map(0, BYTES));
    Sequence sequence = closing(map.createSequence());
    assertThat(sequence.start()).isEqualTo(SequenceStatus.OK);
    map.memory().set(JAVA_LONG, 0, 1);
    assertThat(sequence.check()).isEqualTo(SequenceStatus.OK);
    natives.setLink(8, false);
    map.memory().set(JAVA_LONG, 0, 2);
    new Flush(library).flush();
    assertThat(sequence.check()).isEqualTo(SequenceStatus.NOT_RETRIABLE);
    assertThat(sequence.start()).isEqualTo(SequenceStatus.PENDING);
    assertThat(peer.awaitEvent(0)).isEqualTo(SegmentEvent.NOT_OPERATIONAL);
    assertThat(connect()).isNull();
    natives.setLink(8, true);
    assertThat(peer.awaitEvent(0)).isEqualTo(SegmentEvent.OPERATIONAL);
    map.memory().set(JAVA_LONG, 8, 3);
    assertThat(sequence.check()).isEqualTo(SequenceStatus.RETRIABLE);
    assertThat(sequence.start()).isEqualTo(SequenceStatus.OK);
    assertThat(own.get(JAVA_LONG, 0)).as("the hole").isEqualTo(1);
    assertThat(own.get(JAVA_LONG, 8)).as("behind the hole").isEqualTo(3);
  }

  @Test
  void checksFailOnDemand() throws Throwable {
    segment();
    Sequence sequence = closing(closing(connect().map(0, BYTES)).createSequence());
    natives.failChecks(1, 1);
    assertThat(sequence.check()).isEqualTo(SequenceStatus.RETRIABLE);
    assertThat(sequence.check()).isEqualTo(SequenceStatus.OK);
  }

  @Test
  void aSegmentThatIsLostIsAnEvent() throws Throwable {
    segment();
    RemoteSegment peer = connect();
    natives.lose(8, ID);
    assertThat(peer.awaitEvent(60_000)).isEqualTo(SegmentEvent.LOST);
    assertThat(connect()).isNull();
  }

  @Test
  void anOwnerThatLeavesIsAnEvent() throws Exception {
    LocalSegment segment = descriptor().createSegment(ID, BYTES, 0);
    segment.prepare(1, 0);
    segment.setAvailable(1);
    RemoteSegment peer = connect();
    segment.close();
    assertThat(peer.awaitEvent(60_000)).isEqualTo(SegmentEvent.DISCONNECT);
  }

  @Test
  void aDmaQueueCarriesOneTransferAfterTheOther() throws Exception {
    MemorySegment own = closing(segment().map(0, BYTES)).memory();
    RemoteSegment peer = connect();
    LocalSegment source =
        closing(descriptor().createSegment(1, BYTES, library.constants().privateSegment()));
    source.prepare(0, library.constants().dmaSourceOnly());
    closing(source.map(0, BYTES)).memory().fill((byte) 5);
    DmaQueue queue = closing(descriptor().createDmaQueue(0, 1));
    assertThat(queue.state()).isEqualTo(DmaState.IDLE);
    queue.start(source, peer, 100, 1000, 2000);
    assertThat(queue.await(60_000)).isEqualTo(DmaState.DONE);
    assertThat(own.get(JAVA_BYTE, 1999)).isZero();
    assertThat(own.get(JAVA_BYTE, 2000)).isEqualTo((byte) 5);
    assertThat(own.get(JAVA_BYTE, 2999)).isEqualTo((byte) 5);
    assertThat(own.get(JAVA_BYTE, 3000)).isZero();
    assertThatThrownBy(() -> queue.start(source, peer, 0, BYTES, 1))
        .hasMessageContaining("OUT_OF_RANGE");
  }

  @Test
  void dataInterruptsCarryMessagesUntilTheQueueIsFull() throws Exception {
    LocalDataInterrupt own = closing(descriptor().createDataInterrupt(1));
    RemoteDataInterrupt peers = closing(descriptor().connectDataInterrupt(8, 0, own.number()));
    assertThat(own.await(64, 0)).isNull();
    int sent = 0;
    while (peers.trigger(("message " + sent).getBytes(StandardCharsets.US_ASCII))) {
      sent++;
    }
    assertThat(sent).isEqualTo(8);
    assertThat(own.await(64, 60_000)).asString(StandardCharsets.US_ASCII).isEqualTo("message 0");
    assertThat(peers.trigger(new byte[64])).isTrue();
  }
}
