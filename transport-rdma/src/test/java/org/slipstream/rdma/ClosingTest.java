package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In reverse order, once, whatever fails. */
class ClosingTest {
  private final List<String> closed = new ArrayList<>();
  private final Closing closing = new Closing();

  private void add(String name) {
    closing.add(() -> closed.add(name));
  }

  @Test
  void theLastIsClosedFirst() {
    add("channel");
    add("queue");
    add("queue pair");
    closing.close();
    assertThat(closed).containsExactly("queue pair", "queue", "channel");
  }

  @Test
  void everythingIsClosedOnce() {
    add("queue");
    closing.close();
    closing.close();
    assertThat(closed).containsExactly("queue");
    add("region");
    closing.close();
    assertThat(closed).as("what was added behind").containsExactly("queue", "region");
  }

  @Test
  void whatCanNotBeClosedKeepsNothingOpen() {
    add("channel");
    closing.add(() -> {
      throw new IOException("the device is gone");
    });
    add("queue");
    closing.add(() -> {
      throw new IllegalStateException("closed by another thread");
    });
    closing.add(() -> {
      throw new OutOfMemoryError("none left to say so");
    });
    closing.close();
    assertThat(closed).containsExactly("queue", "channel");
  }

  @Test
  void everyFailureIsOneThatCallersExpect() {
    IOException plain = new IOException("refused");
    assertThat(Closing.asIOException(plain)).isSameAs(plain);
    assertThat(Closing.asIOException(new OutOfMemoryError("Cannot reserve 270336 bytes")))
        .hasMessage("no memory: Cannot reserve 270336 bytes")
        .hasCauseInstanceOf(OutOfMemoryError.class);
    assertThat(Closing.asIOException(new IllegalStateException("closed"))).hasMessage("closed");
  }
}
