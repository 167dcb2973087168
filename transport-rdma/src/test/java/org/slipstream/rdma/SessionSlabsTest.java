package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.verbs.RemoteMemory;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.TransportSettings;

/** How large the windows of a session are, and what it does where memory is refused. */
class SessionSlabsTest {
  private static final int USUAL = 256 * 1024;
  private static final int LARGER = 1024 * 1024;

  private final MemoryBudget budget = new MemoryBudget(64 << 20);
  private final FirstRings firstRings =
      new FirstRings(new TransportSettings(null, USUAL, LARGER), budget, () -> Long.MAX_VALUE);
  private long most = Long.MAX_VALUE;
  private final SessionSlabs slabs = session();

  private SessionSlabs session() {
    return new SessionSlabs(
        USUAL, budget, new PinBudget(0), firstRings, this::register, this::register);
  }

  private RemoteMemory register(MemorySegment memory) throws IOException {
    if (memory.byteSize() > most) {
      throw new IOException("no more may be locked");
    }
    return QuietDevice.memory();
  }

  @AfterEach
  void end() {
    slabs.end();
  }

  private int window() throws IOException {
    return slabs.takeWindow().slab().ringBytes();
  }

  @Test
  void theFirstRingIsLargerAndTheOthersAreAsUsual() throws IOException {
    assertThat(window()).isEqualTo(LARGER / 2);
    assertThat(window()).isEqualTo(USUAL);
    assertThat(slabs.windowsInUse()).isEqualTo(2);
  }

  @Test
  void sessionsBehindTheFirstFewHaveHalfARing() throws IOException {
    for (int i = 0; i < FirstRings.MOST; i++) {
      firstRings.take();
    }
    assertThat(window()).isEqualTo(USUAL / 2);
    assertThat(window()).isEqualTo(USUAL);
  }

  /** And later slabs have as many windows as ever. */
  @Test
  void whereTheLargerOneIsRefusedItIsAnyOtherSession() throws IOException {
    most = LARGER / 2;
    assertThat(window()).isEqualTo(USUAL / 2);
    most = Long.MAX_VALUE;
    assertThat(window()).isEqualTo(USUAL);
    assertThat(slabs.bytes()).isEqualTo(Slab.bytes(1, USUAL / 2) + Slab.bytes(2, USUAL));
    assertOthersCanHave(FirstRings.MOST);
  }

  @Test
  void aSessionThatIsOverGivesItsLargerRingBack() throws IOException {
    assertThat(window()).isEqualTo(LARGER / 2);
    assertOthersCanHave(FirstRings.MOST - 1);
    slabs.end();
    slabs.end();
    assertOthersCanHave(1);
    assertThatThrownBy(slabs::takeWindow).isInstanceOf(IOException.class);
  }

  /** A session that ends before its first stream does not keep one either. */
  @Test
  void aSessionWithoutAStreamHasNone() {
    slabs.end();
    assertThatThrownBy(slabs::takeWindow).hasMessageContaining("over");
    assertOthersCanHave(FirstRings.MOST);
  }

  @Test
  void stagingCopiesAreAsLargeAsThePeersWindows() throws IOException {
    assertThat(slabs.takeStaging(LARGER).slab().ringBytes()).isEqualTo(LARGER);
    assertThat(slabs.takeStaging(USUAL).slab().ringBytes()).isEqualTo(USUAL);
  }

  private void assertOthersCanHave(int larger) {
    for (int i = 0; i < larger; i++) {
      assertThat(firstRings.take()).isEqualTo(LARGER);
    }
    assertThat(firstRings.take()).isEqualTo(USUAL);
  }
}
