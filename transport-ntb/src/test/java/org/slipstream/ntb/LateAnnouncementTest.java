package org.slipstream.ntb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.transport.Backend;
import org.slipstream.testkit.transport.PairContract;
import org.slipstream.testkit.transport.TransportPair;

/** A search that finds no process may have come too early, or met a driver that failed. */
class LateAnnouncementTest extends PairContract {

  @TempDir private Path directory;

  @Override
  protected Backend backend() {
    try {
      return new FileConformanceTest.Window(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean mayFindLater(TransportPair pair) {
    return pair.client().endpoint().mayFindLater(pair.address());
  }

  @Test
  void aStreamThatFoundNoPeerMaySearchAgain() throws Exception {
    TransportPair pair = open();
    assertThat(pair.find()).isNull();
    assertThat(mayFindLater(pair)).isTrue();
    pair.announce();
    Patience.await().until(() -> pair.find() != null);
    assertThat(mayFindLater(pair)).as("it is found").isFalse();
  }

  @Test
  void butNotForEver() throws Exception {
    TransportPair pair = open();
    Patience.await().until(() -> pair.find() == null && !mayFindLater(pair));
  }
}
