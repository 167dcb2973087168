package org.slipstream.ntb.sisci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every call as a C library compiled against our header sees it: order, width and sign of the
 * arguments. The recorder's handles are 0x7001, its maps lie at 0x7002 and 0x7003.
 */
class BindingTest {
  /** Needs all 32 bits. */
  private static final int ID = 0xF1F2F3F4;

  /** Needs more than 32 bits. */
  private static final long BIG = 0x1_2345_6789L;

  private NativeTestLibrary recorder;
  private SisciLibrary library;
  private Descriptor sd;
  private String infinite;

  @BeforeEach
  void load() throws Exception {
    recorder = NativeTestLibrary.of("recorder");
    library = recorder.load();
    sd = new Descriptor(library);
    infinite = Integer.toHexString(library.constants().infinite());
  }

  @AfterEach
  void heal() throws Throwable {
    if (recorder != null) { // skipped without a C compiler
      recorder.failWith(0);
    }
  }

  private void assertCalled(String line) throws Throwable {
    assertThat(recorder.recorded()).isEqualTo(line);
  }

  @Test
  void descriptors() throws Throwable {
    assertCalled("Open flags=0");
    assertThat(sd.probe(3, ID)).isTrue();
    assertCalled("ProbeNode sd=7001 adapterNo=3 nodeId=f1f2f3f4 flags=0");
    sd.close();
    assertCalled("Close sd=7001 flags=0");
    assertThat(library.localNodeId(5)).isEqualTo(0x5005);
    assertCalled("GetLocalNodeId adapterNo=5 flags=0");
    assertThat(library.errorText(0x40000A77)).isEqualTo("text");
    assertCalled("GetErrorString code=40000a77");
  }

  @Test
  void localSegments() throws Throwable {
    LocalSegment segment = sd.createSegment(ID, BIG, 0x80000001);
    assertCalled(
        "CreateSegment sd=7001 segmentId=f1f2f3f4 size=123456789 callback=0 callbackArg=0"
            + " flags=80000001");
    segment.prepare(2, 9);
    assertCalled("PrepareSegment segment=7001 adapterNo=2 flags=9");
    segment.setAvailable(3);
    assertCalled("SetSegmentAvailable segment=7001 adapterNo=3 flags=0");
    segment.setUnavailable(4, 6);
    assertCalled("SetSegmentUnavailable segment=7001 adapterNo=4 flags=6");
    SegmentMap map = segment.map(BIG, BIG + 1);
    assertThat(map.memory().address()).isEqualTo(0x7002);
    assertThat(map.memory().byteSize()).isEqualTo(BIG + 1);
    assertCalled("MapLocalSegment segment=7001 offset=123456789 size=12345678a addr=0 flags=0");
    assertThat(segment.awaitEvent(77)).isEqualTo(SegmentEvent.LOST);
    assertCalled("WaitForLocalSegmentEvent segment=7001 timeout=4d flags=0");
    map.close();
    assertCalled("UnmapSegment map=7001 flags=0");
    segment.close();
    assertCalled(
        "RemoveSegment segment=7001 flags="
            + Integer.toHexString(library.constants().forceRemove()));
  }

  @Test
  void remoteSegments() throws Throwable {
    RemoteSegment segment = sd.connectSegment(8, ID, 2);
    assertCalled(
        "ConnectSegment sd=7001 nodeId=8 segmentId=f1f2f3f4 adapterNo=2 callback=0 callbackArg=0"
            + " timeout="
            + infinite
            + " flags=0");
    assertThat(segment.bytes()).isEqualTo(0x1234_5678_9ABCL);
    assertCalled("GetRemoteSegmentSize segment=7001");
    assertThat(segment.awaitEvent(-1)).isEqualTo(SegmentEvent.LOST);
    assertCalled("WaitForRemoteSegmentEvent segment=7001 timeout=ffffffff flags=0");
    try (SegmentMap map = segment.map(64, BIG)) {
      assertThat(map.memory().address()).isEqualTo(0x7003);
      assertCalled("MapRemoteSegment segment=7001 offset=40 size=123456789 addr=0 flags=0");
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment own = arena.allocate(64);
        map.copyFrom(own, BIG, 48);
        assertCalled(
            "MemCpy sequence=0 memory="
                + Long.toHexString(own.address())
                + " map=7001 offset=123456789 size=30 flags=0");
        map.copyTo(own, 8, BIG);
        assertCalled(
            "MemCpy sequence=0 memory="
                + Long.toHexString(own.address())
                + " map=7001 offset=8 size=123456789 flags="
                + Integer.toHexString(library.constants().blockRead()));
      }
      Sequence sequence = map.createSequence();
      assertCalled("CreateMapSequence map=7001 flags=0");
      assertThat(sequence.start()).isEqualTo(SequenceStatus.PENDING);
      assertCalled("StartSequence sequence=7001 flags=0");
      assertThat(sequence.check()).isEqualTo(SequenceStatus.PENDING);
      assertCalled("CheckSequence sequence=7001 flags=0");
      sequence.close();
      assertCalled("RemoveSequence sequence=7001 flags=0");
    }
    new Flush(library).flush();
    assertCalled(
        "Flush sequence=0 flags=" + Integer.toHexString(library.constants().flushCpuOnly()));
    segment.close();
    assertCalled("DisconnectSegment segment=7001 flags=0");
  }

  @Test
  void dmaQueues() throws Throwable {
    DmaQueue queue = sd.createDmaQueue(2, 5);
    assertCalled("CreateDMAQueue sd=7001 adapterNo=2 maxEntries=5 flags=0");
    queue.start(sd.createSegment(1, 64, 0), sd.connectSegment(8, 1, 0), BIG, BIG + 1, BIG + 2);
    assertCalled(
        "StartDmaTransfer queue=7001 local=7001 remote=7001 localOffset=123456789 size=12345678a"
            + " remoteOffset=12345678b callback=0 callbackArg=0 flags=0");
    assertThat(queue.await(9)).isEqualTo(DmaState.ABORTED);
    assertCalled("WaitForDMAQueue queue=7001 timeout=9 flags=0");
    assertThat(queue.state()).isEqualTo(DmaState.ABORTED);
    assertCalled("DMAQueueState queue=7001");
    queue.abort();
    assertCalled("AbortDMAQueue queue=7001 flags=0");
    queue.close();
    assertCalled("RemoveDMAQueue queue=7001 flags=0");
  }

  @Test
  void dataInterrupts() throws Throwable {
    LocalDataInterrupt own = sd.createDataInterrupt(2);
    assertCalled("CreateDataInterrupt sd=7001 adapterNo=2 callback=0 callbackArg=0 flags=0");
    assertThat(own.await(64, 7)).hasSize(64);
    assertThat(recorder.recorded())
        .matches("WaitForDataInterrupt interrupt=7001 data=[0-9a-f]{6,} timeout=7 flags=0");
    own.close();
    assertCalled("RemoveDataInterrupt interrupt=7001 flags=0");
    RemoteDataInterrupt peers = sd.connectDataInterrupt(8, 2, ID);
    assertCalled(
        "ConnectDataInterrupt sd=7001 nodeId=8 adapterNo=2 interruptNo=f1f2f3f4 timeout="
            + infinite
            + " flags=0");
    assertThat(peers.trigger(new byte[33])).isTrue();
    assertThat(recorder.recorded())
        .matches("TriggerDataInterrupt interrupt=7001 data=[0-9a-f]{6,} length=21 flags=0");
    peers.close();
    assertCalled("DisconnectDataInterrupt interrupt=7001 flags=0");
  }

  @Test
  void errorsAreReadAndSaidInTheLibrarysWords() throws Throwable {
    recorder.failWith(SisciError.SEGMENTID_USED.code());
    assertThatThrownBy(() -> sd.createSegment(1, 64, 0))
        .isInstanceOf(SisciException.class)
        .hasMessage("SCICreateSegment: text (SEGMENTID_USED, 0x40000918)");
    recorder.failWith(0x40000ABC);
    assertThat(((SisciException) catchThrowable(() -> sd.createDmaQueue(0, 1))).error())
        .isEqualTo(SisciError.UNKNOWN);
    recorder.failWith(SisciError.NO_SUCH_SEGMENT.code());
    assertThat(sd.connectSegment(8, 1, 0)).isNull();
    recorder.failWith(SisciError.TIMEOUT.code());
    assertThat(new LocalDataInterrupt(library, MemorySegment.NULL, 1).await(64, 1)).isNull();
    recorder.failWith(SisciError.NOSPC.code());
    assertThat(new RemoteDataInterrupt(library, MemorySegment.NULL).trigger(new byte[1])).isFalse();
  }

  @Test
  void everyKnownErrorHasTheNumberOfTheHeader() throws Exception {
    String header = Files.readString(Path.of("src/loopback/sisci_api.h"));
    for (SisciError error : SisciError.values()) {
      if (error != SisciError.UNKNOWN && error != SisciError.OK) {
        assertThat(header)
            .containsPattern(
                "SCI_ERR_" + error + " = 0x" + String.format("%X", error.code()) + "[, \n]");
      }
    }
  }

  @Test
  void aLibraryThatIsNoneIsAnAnswer() {
    assertThatThrownBy(() -> SisciLibrary.load("libno-such-sisci.so"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("can not be loaded");
    assertThatThrownBy(() -> SisciLibrary.load("libc.so.6"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has no SCI_");
  }

  @Test
  void constantsAreReadFromTheLibrary() throws Exception {
    SisciConstants permuted = NativeTestLibrary.of("permuted").load().constants();
    assertThat(permuted.infinite()).isEqualTo(0x7FFFFFFF);
    assertThat(library.constants().infinite()).isEqualTo(-1);
    assertThat(permuted.queryApi()).isEqualTo(77);
  }
}
