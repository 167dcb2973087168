package org.slipstream.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The caller of a search hears of its outcome, if need be when there is memory for it again. */
class PeerSearchTest {
  private final List<String> heard = new ArrayList<>();
  private int refusals;

  private final PeerSearch search = new PeerSearch(session -> hear("opened"), () -> hear("none"));

  private void hear(String what) {
    if (refusals > 0) {
      refusals--;
      throw new OutOfMemoryError("injected");
    }
    heard.add(what);
  }

  /** Nothing is asked of it here. */
  @SuppressWarnings("NullAway")
  private void opened() {
    search.opened(null);
  }

  private void assertRefused(Runnable task) {
    refusals = 1;
    assertThatThrownBy(task::run).isInstanceOf(OutOfMemoryError.class);
    assertThat(heard).isEmpty();
  }

  @Test
  void eachSessionIsReported() {
    search.found();
    search.found();
    opened();
    search.lost();
    assertThat(heard).containsExactly("opened");
  }

  @Test
  void noneIsSaidOnce() {
    search.found();
    search.found();
    search.lost();
    assertThat(heard).isEmpty();
    search.lost();
    assertThat(heard).containsExactly("none");
  }

  @Test
  void aSessionThatEndsForWantOfMemoryToReportItIsNone() {
    search.found();
    assertRefused(this::opened);
    search.lost();
    assertThat(heard).containsExactly("none");
  }

  @Test
  void noneIsSaidAgainIfThereWasNoMemoryForIt() {
    search.found();
    assertRefused(search::lost);
    search.lost();
    assertThat(heard).containsExactly("none");
  }
}
