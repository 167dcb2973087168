package org.slipstream.ntb;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.slab.SlabLayout;

/** The order of stores on their way across a bridge. */
class NtbLinkTest {
  private static final long SEVENS = 0x0707070707070707L;
  private static final SlabLayout LAYOUT = new SlabLayout(1, 16 * 1024);

  private final MemorySegment memory = Arena.ofAuto().allocate(LAYOUT.bytes(), 64);
  private final HeapImported imported = new HeapImported(memory);

  private int failures;

  private NtbLink link() {
    NtbLink link =
        new NtbLink(
            () -> failures++,
            released -> {},
            MemorySegment.NULL,
            MemorySegment.NULL,
            imported,
            LAYOUT.controlOffset(0),
            LAYOUT.ringOffset(0),
            LAYOUT.ringBytes());
    imported.record.clear();
    return link;
  }

  @Test
  void bytesThenCheckThenPositionThenFlush() {
    NtbLink link = link();
    link.sendRing().fill((byte) 7);
    assertThat(memory.get(JAVA_LONG, LAYOUT.ringOffset(0))).as("before the push").isZero();
    link.push(0, 16);
    assertThat(memory.get(JAVA_LONG, LAYOUT.ringOffset(0) + 8)).isEqualTo(0x0707070707070707L);
    assertThat(memory.get(JAVA_LONG, LAYOUT.ringOffset(0) + 16)).as("behind the push").isZero();
    link.sendControl().set(JAVA_LONG, 8, 5);
    assertThat(memory.get(JAVA_LONG, 8)).as("plain word before the position").isZero();
    link.publish(0, 16);
    assertThat(imported.record).containsExactly("check", "flush");
    assertThat(memory.get(JAVA_LONG, 0)).isEqualTo(16);
    assertThat(memory.get(JAVA_LONG, 8)).isEqualTo(5);
    link.publish(24, 7);
    assertThat(imported.record).containsExactly("check", "flush", "flush");
    assertThat(memory.get(JAVA_LONG, 24)).isEqualTo(7);
    assertThat(link.sendControl().get(JAVA_LONG, 24)).as("has one writer").isZero();
  }

  /** Of a write; of the answer that it waits for it is the reader's. */
  @Test
  void aPublishIsOneDowncall() {
    imported.losesStores = true;
    imported.checks = false;
    NtbLink link = link();
    assertThat(link.needsChecksum()).isTrue();
    link.push(0, 16);
    link.sendControl().set(JAVA_LONG, 120, 5);
    link.publish(0, 16);
    assertThat(imported.record).containsExactly("flush");
    assertThat(memory.get(JAVA_LONG, 120)).isEqualTo(5);
    link.publishInt(32, 1);
    assertThat(imported.record).containsExactly("flush", "flush");
  }

  @Test
  void whereNothingIsLostTheBytesAreFlushedBeforeThePosition() {
    imported.checks = false;
    NtbLink link = link();
    assertThat(link.needsChecksum()).isFalse();
    link.push(0, 16);
    link.publish(0, 16);
    assertThat(imported.record).containsExactly("flush", "flush");
  }

  @Test
  void aPositionBehindLostBytesIsNeverPublished() {
    NtbLink link = link();
    link.publish(0, 16);
    imported.broken = true;
    link.push(16, 16);
    link.publish(0, 32);
    assertThat(memory.get(JAVA_LONG, 0)).isEqualTo(16);
    assertThat(link.isBroken()).isTrue();
    assertThat(link.isLossless()).isFalse();
    link.publish(0, 32);
    assertThat(failures).isEqualTo(1);
  }

  @Test
  void theEngineTakesLargePiecesAndTheProcessorWhatItFailsAt() {
    imported.crossover = 4096;
    NtbLink link = link();
    assertThat(link.bulkBytes()).as("what it likes to get whole").isEqualTo(4096);
    link.sendRing().fill((byte) 7);
    link.push(0, 4095);
    assertThat(imported.record).isEmpty();
    link.push(4096, 4096);
    assertThat(imported.record).containsExactly("begin 8192+4096");
    imported.engineWorks = false;
    link.publish(0, 8192);
    assertThat(imported.record).containsExactly("begin 8192+4096", "end 8192", "check", "flush");
    assertThat(memory.get(JAVA_LONG, LAYOUT.ringOffset(0) + 8_184)).as("stored").isEqualTo(SEVENS);
    imported.engineIsFree = false;
    link.push(8192, 4096);
    assertThat(memory.get(JAVA_LONG, LAYOUT.ringOffset(0) + 12_280)).isEqualTo(SEVENS);
  }

  @Test
  void twoTransfersAreUnderWayWhileTheWriterCopies() {
    imported.crossover = 1024;
    NtbLink link = link();
    link.push(0, 1024);
    link.push(1024, 1024);
    assertThat(imported.record).containsExactly("begin 4096+1024", "begin 5120+1024");
    link.push(2048, 1024);
    assertThat(imported.record.subList(2, 4)).containsExactly("end 4096", "begin 6144+1024");
    link.publish(0, 3072);
    assertThat(imported.record.subList(4, 8))
        .as("all have arrived before the position")
        .containsExactly("end 5120", "end 6144", "check", "flush");
  }

  /** Its source failed in the middle, and what was pushed is pushed again with other bytes. */
  @Test
  void aTransferOfBytesThatWereTakenBackEndsBeforeTheNextBegins() {
    imported.crossover = 1024;
    NtbLink link = link();
    link.push(0, 1024);
    link.push(0, 2048);
    assertThat(imported.record).containsExactly("begin 4096+1024", "end 4096", "begin 4096+2048");
    link.push(2048, 16);
    assertThat(imported.record).as("behind it").hasSize(3);
    link.push(0, 16);
    assertThat(imported.record).hasSize(4).last().isEqualTo("end 4096");
  }

  /** The window may be another stream's. */
  @Test
  void nothingIsUnderWayBehindARelease() {
    imported.crossover = 1024;
    NtbLink link = link();
    link.push(0, 1024);
    link.release();
    assertThat(imported.record).containsExactly("begin 4096+1024", "end 4096");
  }

  @Test
  void withoutAnEngineAllPiecesAreSmall() {
    imported.crossover = Long.MAX_VALUE;
    assertThat(link().bulkBytes()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void placingFlushes() {
    link().flush();
    assertThat(imported.record).containsExactly("flush");
  }
}
