package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.cm.BoundId;
import org.slipstream.rdma.verbs.DeviceContext;
import org.slipstream.rdma.verbs.NativeCallException;

/** Who listens, is refused, loses its device and looks for it, with an rdma_cm that only counts. */
class ListenersTest {
  private static final InetSocketAddress ADDRESS = new InetSocketAddress("10.1.2.3", 4711);
  private static final int ADDRESS_IN_USE = 98;
  private static final int NO_DEVICE = 19;
  private static final long DEVICE = 42;

  private record Task(long delayNanos, Runnable work) {}

  private final List<Id> opened = new ArrayList<>();
  private final Deque<Task> later = new ArrayDeque<>();
  private int refusal;
  private final Listeners listeners =
      new Listeners(this::open, (delay, work) -> later.add(new Task(delay, work)));

  private static final class Id implements BoundId {
    boolean closed;

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
      closed = true;
    }
  }

  private BoundId open(InetSocketAddress address) throws IOException {
    assertThat(address).isEqualTo(ADDRESS);
    if (refusal != 0) {
      throw new NativeCallException("rdma_bind_addr", refusal);
    }
    Id id = new Id();
    opened.add(id);
    return id;
  }

  /** Does what is scheduled, once. */
  private long runLater() {
    Task task = later.remove();
    task.work.run();
    return task.delayNanos;
  }

  private static List<String> logged(Runnable work) {
    List<String> lines = new ArrayList<>();
    Logger logger = Logger.getLogger("org.slipstream.rdma");
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord each) {
            if (each.getLevel().intValue() >= Level.INFO.intValue()) {
              lines.add(each.getMessage());
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    try {
      work.run();
    } finally {
      logger.removeHandler(handler);
    }
    return lines;
  }

  @Test
  void aListenerAsksForNoTimer() {
    assertThat(listeners.listen(ADDRESS)).isTrue();
    assertThat(listeners.ids()).hasSize(1);
    assertThat(later).isEmpty();
  }

  @Test
  void whatIsRefusedAtFirstIsTriedAgainAndReportedOnce() {
    List<String> lines =
        logged(() -> {
          refusal = ADDRESS_IN_USE;
          assertThat(listeners.listen(ADDRESS)).isFalse();
          assertThat(runLater()).isEqualTo(Listeners.DEVICE_NS);
          assertThat(listeners.ids()).isEmpty();
          refusal = 0;
          runLater();
        });
    assertThat(opened).hasSize(1);
    assertThat(listeners.ids()).hasSize(1);
    assertThat(later).as("nothing more to do").isEmpty();
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).contains("10.1.2.3", "the address is in use");
    assertThat(lines.get(1)).contains("listens at", "10.1.2.3");
  }

  @Test
  void anAddressWithoutADeviceIsTriedEverMoreRarelyAndInSilence() {
    List<String> lines =
        logged(() -> {
          refusal = NO_DEVICE;
          assertThat(listeners.listen(ADDRESS)).isFalse();
          long last = 0;
          for (int i = 0; i < 10; i++) {
            long wait = runLater();
            assertThat(wait).isGreaterThanOrEqualTo(last);
            last = wait;
          }
          assertThat(last).isEqualTo(Listeners.RARELY_NS);
        });
    assertThat(lines).isEmpty();
    refusal = 0;
    runLater();
    assertThat(listeners.ids()).hasSize(1);
  }

  @Test
  void aDeviceThatWentIsLookedForOften() {
    listeners.listen(ADDRESS);
    listeners.deviceGone(DEVICE);
    assertThat(opened.getFirst().closed).isTrue();
    refusal = NO_DEVICE;
    for (int i = 0; i < 10; i++) {
      assertThat(runLater()).isEqualTo(Listeners.DEVICE_NS);
    }
    refusal = 0;
    runLater();
    assertThat(opened).hasSize(2);
    assertThat(later).isEmpty();
  }

  @Test
  void whatIsNotWantedAnyMoreIsNotTriedAgain() {
    refusal = ADDRESS_IN_USE;
    listeners.listen(ADDRESS);
    listeners.listen(ADDRESS);
    listeners.unlisten(ADDRESS);
    assertThat(later).as("one timer for both").hasSize(1);
    runLater();
    assertThat(later).as("the other one still wants it").hasSize(1);
    listeners.unlisten(ADDRESS);
    refusal = 0;
    runLater();
    assertThat(opened).isEmpty();
    assertThat(later).isEmpty();
  }
}
