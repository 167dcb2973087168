package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.cm.CmEvent;
import org.slipstream.rdma.verbs.DeviceContext;
import org.slipstream.rdma.verbs.DeviceEvent;

/** The thread itself, on a machine that has rdma_cm or not. */
class EventThreadTest implements EventThread.ConnectionEvents {
  private static final boolean OPENS = Files.isWritable(Path.of("/dev/infiniband/rdma_cm"));

  private static final long LATER_NANOS = 20_000_000;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<String> lost = new CopyOnWriteArrayList<>();
  private volatile boolean over;
  private final List<String> done = new CopyOnWriteArrayList<>();
  private final EventThread events = new EventThread(this, EventThreadTest::deviceEvent);

  @Override
  public void event(CmEvent event) {
    throw new AssertionError(event);
  }

  @Override
  public void lost(String why) {
    lost.add(why);
  }

  @Override
  public boolean isOver() {
    return over;
  }

  @Override
  public void ending() {
    done.add("ending");
  }

  private static void deviceEvent(DeviceContext device, DeviceEvent event) {
    throw new AssertionError(event);
  }

  private void ask(String name) {
    events.execute(() -> done.add(name + " on " + Thread.currentThread().getName()));
  }

  /** The caller may be a virtual thread, or the reactor: neither opens anything. */
  @Test
  void rdmaCmIsOpenedOnTheThreadAndEveryTaskIsDoneWhateverComesOfIt() {
    assertThatThrownBy(events::channel).isInstanceOf(IOException.class);
    ask("before");
    assertThat(done).as("not started").isEmpty();
    events.start();
    await().atMost(PATIENCE).until(() -> done.size() == 1);
    ask("after");
    await().atMost(PATIENCE).until(() -> done.size() == 2);
    assertThat(done).containsExactly("before on slipstream-rdma", "after on slipstream-rdma");
    assertThat(lost).hasSize(OPENS ? 0 : 1);
    assertThat(lost).allMatch(why -> why.startsWith("RDMA can not be used: "));
  }

  @AfterEach
  void end() {
    over = true;
    events.execute(() -> {});
    await().atMost(PATIENCE).until(() -> !events.isAlive());
  }

  @Test
  void tasksComeInTheirOrderAndAFailureKeepsNoneFromComing() {
    ask("first");
    events.execute(() -> {
      throw new IllegalStateException("a task that fails");
    });
    ask("second");
    events.start();
    await().atMost(PATIENCE).until(() -> done.size() == 2);
    assertThat(done).containsExactly("first on slipstream-rdma", "second on slipstream-rdma");
  }

  /** Its descriptors are closed: asking it afterwards must not write to another file. */
  @Test
  void itEndsWhenItIsNeededNoMore() {
    events.start();
    ask("first");
    await().atMost(PATIENCE).until(() -> done.size() == 1);
    over = true;
    events.execute(() -> {});
    await().atMost(PATIENCE).until(() -> done.contains("ending"));
    await().atMost(PATIENCE).until(() -> !events.isAlive());
    ask("never");
    assertThat(done).containsExactly("first on slipstream-rdma", "ending");
  }

  @Test
  void timersComeWhenTheyAreDue() {
    events.start();
    AtomicLong between = new AtomicLong();
    // A thread that loses its core between the two calls asks for another order.
    do {
      done.clear();
      events.execute(() -> {
        long from = System.nanoTime();
        events.schedule(LATER_NANOS, () -> done.add("later"));
        events.schedule(0, () -> done.add("soon"));
        between.set(System.nanoTime() - from);
      });
      await().atMost(PATIENCE).until(() -> done.size() == 2);
    } while (between.get() >= LATER_NANOS);
    assertThat(done).containsExactly("soon", "later");
  }
}
