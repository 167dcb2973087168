package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.cm.ConnectedId;
import org.slipstream.rdma.verbs.DeviceContext;

/** What is said to peers when queue pairs end, with an rdma_cm that only notes it. */
class SilentIdsTest {
  private static final long DEVICE = 42;

  private final List<String> said = new ArrayList<>();
  private final Deque<Runnable> later = new ArrayDeque<>();
  private boolean active = true;
  private final SilentIds ids =
      new SilentIds(
          id -> active,
          (delay, work) -> {
            assertThat(delay).isEqualTo(SilentIds.LOOK_NS);
            later.add(work);
          });

  private final ConnectedId id =
      new ConnectedId() {
        @Override
        public int port() {
          return 1;
        }

        @Override
        public void disconnect() {
          said.add("disconnect");
        }

        @Override
        public void destroyQueuePair() {
          said.add("destroy");
        }

        @Override
        public long address() {
          return 1;
        }

        @Override
        public DeviceContext device() {
          throw new UnsupportedOperationException();
        }

        @Override
        public boolean isOn(long device) {
          return device == DEVICE;
        }

        @Override
        public void close() {
          said.add("close");
        }
      };

  private void end() {
    ids.end(id, () -> said.add("free"));
  }

  @Test
  void aPeerIsToldAtOnceOverAPortThatIsActive() {
    end();
    assertThat(said).containsExactly("disconnect", "destroy", "free", "close");
    assertThat(ids.isEmpty()).isTrue();
    assertThat(later).isEmpty();
  }

  @Test
  void nothingIsSaidOverAPortThatIsDownBeforeItIsActiveAgain() {
    active = false;
    end();
    assertThat(said).containsExactly("destroy", "free");
    for (int looks = 0; looks < 3; looks++) {
      assertThat(ids.isEmpty()).isFalse();
      later.remove().run();
    }
    assertThat(said).containsExactly("destroy", "free");
    active = true;
    later.remove().run();
    assertThat(said).containsExactly("destroy", "free", "close");
    assertThat(ids.isEmpty()).isTrue();
    assertThat(later).as("it looks no more").isEmpty();
  }

  @Test
  void whatIsOnADeviceThatIsGoneIsClosedAtOnce() {
    active = false;
    end();
    ids.close(each -> each.isOn(DEVICE + 1));
    assertThat(ids.isEmpty()).isFalse();
    ids.close(each -> each.isOn(DEVICE));
    assertThat(said).containsExactly("destroy", "free", "close");
  }
}
