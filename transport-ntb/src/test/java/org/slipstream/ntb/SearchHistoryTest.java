package org.slipstream.ntb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Refusal;

class SearchHistoryTest {
  private static final long BYTES = 4 << 20;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final SearchHistory history = new SearchHistory();
  private Fabric fabric;
  private SearchHistory.Port port;
  private SearchHistory.Peer process;

  @BeforeEach
  void fabric(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("window");
    try (RandomAccessFile f = new RandomAccessFile(file.toFile(), "rw")) {
      f.setLength(BYTES);
    }
    fabric = FileFabric.open(file, 4, 8);
    port = new SearchHistory.Port(fabric, 8, 80);
    process = new SearchHistory.Peer(fabric, 8, new ProcessId(1, 2));
  }

  @AfterEach
  void close() throws Exception {
    fabric.close();
  }

  @Test
  void aPortWithoutAProcessIsAskedAgainAfterHalfASecondAndFourTimesForOneStream() {
    assertThat(history.isKnown(port, 0)).isFalse();
    assertThat(history.mayFindLater(port)).as("there was no search").isFalse();
    for (int search = 1; search <= SearchHistory.MOST_SEARCHES; search++) {
      long now = search * SECOND;
      history.missed(port, null, null, now);
      assertThat(history.isKnown(port, now + SearchHistory.NEGATIVE_NS)).isTrue();
      assertThat(history.isKnown(port, now + SearchHistory.NEGATIVE_NS + 1)).isFalse();
      assertThat(history.mayFindLater(port)).isEqualTo(search < SearchHistory.MOST_SEARCHES);
    }
    assertThat(history.refused(port)).isNull();
  }

  @Test
  void theLastRefusalIsKept() {
    history.missed(port, Refusal.KEY, "another key", 0);
    assertThat(history.refused(port)).extracting("why").isEqualTo("another key");
    history.missed(port, null, null, SECOND);
    assertThat(history.refused(port)).isNull();
  }

  @Test
  void aProcessThatDoesNotAnswerIsAskedMoreAndMoreRarelyAndOnceAMinuteAtLeast() {
    long now = 0;
    long[] pauses = {1, 2, 4, 8, 16, 32, 64, 64, 64};
    for (long pause : pauses) {
      history.unanswered(process, now);
      assertThat(history.isSilent(process, now + pause * SECOND - 1)).isTrue();
      now += pause * SECOND;
      assertThat(history.isSilent(process, now)).isFalse();
    }
  }

  @Test
  void eachOfManyStreamsThatWaitedForAProcessMaySearchAgain() {
    for (int stream = 0; stream < 10 * SearchHistory.MOST_SEARCHES; stream++) {
      history.unanswered(port, 0);
    }
    assertThat(history.refused(port)).extracting("refusal").isEqualTo(Refusal.SILENT);
    assertThat(history.mayFindLater(port)).isTrue();
    assertThat(history.isKnown(port, SearchHistory.NEGATIVE_NS)).isTrue();
    assertThat(history.isKnown(port, SearchHistory.NEGATIVE_NS + 1)).isFalse();
  }

  @Test
  void aSessionEndsBoth() {
    history.missed(port, null, null, 0);
    history.unanswered(process, 0);
    history.found(port, process);
    assertThat(history.isKnown(port, 0)).isFalse();
    assertThat(history.mayFindLater(port)).isFalse();
    assertThat(history.isSilent(process, 0)).isFalse();
  }
}
