package org.slipstream.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.ControlLayout;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.Window;

/** What the core relies on in every {@link Window}: its memory, its storage, its end. */
public abstract class WindowContract extends PairContract {

  @Test
  public void aWindowIsAControlBlockOfZerosAndARing() throws Exception {
    TransportPair pair = connected();
    Window window = pair.client().window();
    assertThat(window.control().byteSize()).isEqualTo(ControlLayout.BYTES);
    assertThat(window.control().address() % Long.BYTES).as("alignment of the words").isZero();
    assertThat(window.control().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
    long ring = window.ring().byteSize();
    assertThat(Long.bitCount(ring)).as("the ring has a power of two of bytes").isEqualTo(1);
    assertThat(ring).isBetween(16 * 1024L, (long) backend().ringBytes());
    assertThat(window.committedBytes())
        .as("a new window has more committed than the mailbox, and not more than its ring")
        .isBetween(ControlLayout.MAILBOX_BYTES + 1L, ring);
  }

  @Test
  public void aWindowGrowsToItsWholeRing() throws Exception {
    TransportPair pair = connected();
    Window window = pair.server().window();
    long ring = window.ring().byteSize();
    for (long committed = window.committedBytes();
        committed < ring;
        committed = window.committedBytes()) {
      window.grow(2 * committed);
      assertThat(window.committedBytes()).isEqualTo(2 * committed);
    }
    assertThat(window.ring().get(ValueLayout.JAVA_BYTE, ring - 1)).isZero();
  }

  @Test
  public void aDescriptorNamesOneWindow() throws Exception {
    TransportPair pair = connected();
    Set<ByteBuffer> seen = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      Window window = pair.client().window();
      ByteBuffer descriptor = TransportPair.descriptor(window);
      assertThat(descriptor.remaining()).as("bytes of a descriptor").isBetween(1, 32);
      assertThat(TransportPair.descriptor(window)).as("the same again").isEqualTo(descriptor);
      assertThat(seen.add(descriptor)).as("no two windows have one descriptor").isTrue();
    }
  }

  @Test
  public void memoryOverTheBudgetIsAnIoExceptionAndNothingIsTaken() throws Exception {
    TransportPair pair = open(4L << 20).connect();
    MemoryBudget budget = pair.client().host().budget();
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 1000; i++) {
                Window window = pair.client().window();
                window.grow(window.ring().byteSize());
              }
            })
        .as("a thousand windows in 4 MiB")
        .isInstanceOf(IOException.class);
    assertThat(budget.usedBytes()).isLessThanOrEqualTo(budget.limitBytes());
    assertThat(pair.client().session().isOpen())
        .as("a process without memory keeps the sessions that it has")
        .isTrue();
  }

  @Test
  public void aFreedWindowIsUsedAgain() throws Exception {
    TransportPair pair = connected();
    MemoryBudget budget = pair.client().host().budget();
    pair.client()
        .host()
        .call(() -> {
          pair.client().session().allocateWindow().free();
          return null;
        });
    for (int i = 0; i < 2000; i++) {
      pair.client()
          .host()
          .call(() -> {
            pair.client().session().allocateWindow().free();
            return null;
          });
    }
    assertThat(budget.usedBytes())
        .as("two thousand windows, one after the other, take the memory of a few")
        .isLessThan(64L * (backend().ringBytes() + 4096) + (1 << 20));
  }

  @Test
  public void aWindowThatIsUsedAgainHoldsNothingOfTheLastStream() throws Exception {
    TransportPair pair = connected();
    for (int stream = 0; stream < 20; stream++) {
      LinkPair link = pair.link();
      for (LinkPair.End end : List.of(link.a(), link.b())) {
        LinkContract.assertBytes(
            "the control block of stream " + stream + " before anything is published",
            end.link().receiveControl(),
            new byte[ControlLayout.BYTES]);
      }
      // The same words each time: what combines stores must not take them for sent already.
      ControlLayout.putLongPlain(link.a().link().sendControl(), ControlLayout.PIGGYBACK, 5);
      link.a().link().publish(ControlLayout.POSITION, 7);
      link.a().link().publish(ControlLayout.CREDIT, 9);
      link.a().link().flush();
      for (int offset :
          new int[] {ControlLayout.PIGGYBACK, ControlLayout.POSITION, ControlLayout.CREDIT}) {
        assertThat(ControlLayout.getLongAcquire(link.b().link().receiveControl(), offset))
            .as("word %d of stream %d", offset, stream)
            .isNotZero();
      }
      link.a().link().release();
      link.b().link().release();
      free(pair.client(), link.a().window());
      free(pair.server(), link.b().window());
    }
  }

  private static void free(TransportPair.Side side, Window window) throws Exception {
    side.host()
        .call(() -> {
          window.free();
          return null;
        });
  }

  @Test
  public void aWindowInQuarantineIsNotUsedAgain() throws Exception {
    TransportPair pair = connected();
    Window window = pair.client().window();
    ByteBuffer descriptor = TransportPair.descriptor(window);
    pair.client()
        .host()
        .call(() -> {
          window.quarantine();
          return null;
        });
    for (int i = 0; i < 100; i++) {
      assertThat(TransportPair.descriptor(pair.client().window()))
          .as("a window that the peer may still write to")
          .isNotEqualTo(descriptor);
    }
  }

  @Test
  public void theMemoryOfALostSessionStaysUntilItsLastUserIsGone() throws Exception {
    TransportPair pair = connected();
    TransportPair.Side client = pair.client();
    LinkPair link = pair.link();
    List<Window> more = new ArrayList<>(List.of(client.window(), client.window()));
    link.b().link().publish(ControlLayout.POSITION, 42);
    link.b().link().flush();
    client.session().abort("a test ends it");
    Patience.await().until(() -> client.host().lost().size() == 1);
    assertThat(
            ControlLayout.getLongAcquire(link.a().link().receiveControl(), ControlLayout.POSITION))
        .as("what was published before the session was lost")
        .isEqualTo(42);
    link.a().link().publish(ControlLayout.POSITION, 1); // arrives nowhere, and does no harm
    link.a().link().release();
    free(client, link.a().window());
    client
        .host()
        .call(() -> {
          more.getFirst().quarantine();
          more.getLast().free();
          return null;
        });
    Patience.await()
        .untilAsserted(() ->
            assertThat(client.host().budget().usedBytes())
                .as("bytes in the budget without a session and without windows")
                .isZero());
  }
}
