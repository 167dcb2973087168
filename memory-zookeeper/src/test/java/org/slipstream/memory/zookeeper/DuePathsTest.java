package org.slipstream.memory.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the thread of a directory looks at next. */
class DuePathsTest {
  private static final long ALMOST_A_SECOND = TimeUnit.MILLISECONDS.toNanos(990);

  private final DuePaths due = new DuePaths();

  private static DuePaths.Due of(String... paths) {
    return new DuePaths.Due(false, List.of(paths));
  }

  private static DuePaths.Due all() {
    return new DuePaths.Due(true, List.of());
  }

  @Test
  void pathsAreLookedAtOnceAndInTheirOrder() throws Exception {
    due.add("/b");
    due.add("/a");
    due.add("/b");
    assertThat(due.await()).isEqualTo(of("/b", "/a"));
    due.add("/b");
    assertThat(due.await()).isEqualTo(of("/b"));
  }

  @Test
  void aLookAtAllIsALookAtEach() throws Exception {
    due.add("/a");
    due.addAll();
    assertThat(due.await()).isEqualTo(all());
    due.add("/a");
    assertThat(due.await()).isEqualTo(of("/a"));
  }

  @Test
  void whatFailedIsLookedAtASecondLater() throws Exception {
    long begin = System.nanoTime();
    due.addAllLater();
    due.add("/a");
    assertThat(due.await()).isEqualTo(of("/a"));
    assertThat(due.await()).isEqualTo(all());
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(ALMOST_A_SECOND);
  }

  @Test
  void whatIsDueIsLookedAtBehindTheEndAndWhatFailedIsNot() throws Exception {
    due.add("/a");
    due.addAllLater();
    due.close();
    assertThat(due.await()).isEqualTo(of("/a"));
    assertThat(due.await()).isNull();
  }
}
