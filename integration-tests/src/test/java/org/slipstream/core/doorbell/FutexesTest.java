package org.slipstream.core.doorbell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.transport.ControlLayout;

/** What ends a sleep on a futex, and where no sleep begins. */
@Timeout(120)
class FutexesTest {
  private static final long FOR_EVER = Long.MAX_VALUE;

  private final Futexes futexes = new Futexes(new ReflectedDescriptors(), () -> true, 1);
  private final FutexWord window = word(Arena.ofAuto());
  private SocketChannel tcp;
  private SocketChannel peer;

  @BeforeEach
  void connect() throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      tcp = SocketChannel.open(listener.getLocalAddress());
      peer = listener.accept();
    }
  }

  @AfterEach
  void close() throws IOException {
    tcp.close();
    peer.close();
  }

  private Sleeper watch() {
    await().until(futexes::areReady);
    return Objects.requireNonNull(futexes.watch(tcp));
  }

  /** Sleeps until something has ended it, and says so. */
  private static FutexWord word(Arena arena) {
    return new FutexWord(arena.allocate(ControlLayout.BYTES, Long.BYTES));
  }

  private CompletableFuture<Integer> sleep(Sleeper sleeper) throws InterruptedException {
    return sleep(sleeper, window);
  }

  private static CompletableFuture<Integer> sleep(Sleeper sleeper, FutexWord word)
      throws InterruptedException {
    CompletableFuture<Integer> ended = new CompletableFuture<>();
    int value = sleeper.begin(word);
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              sleeper.sleep(word, value, FOR_EVER);
              ended.complete(sleeper.events());
            });
    await().until(() -> thread.getState() == Thread.State.RUNNABLE);
    Thread.sleep(20); // it makes no difference whether it sleeps already, but should
    return ended;
  }

  private static int get(CompletableFuture<Integer> ended) {
    await().until(ended::isDone);
    return ended.join();
  }

  @Test
  void aWriterEndsASleep() throws Exception {
    CompletableFuture<Integer> ended = sleep(watch());
    assertThat(ended).isNotDone();
    assertThat(futexes.ring(window)).isTrue();
    assertThat(get(ended)).isZero();
    assertThat(futexes.rung()).isEqualTo(1);
  }

  @Test
  void aWordThatHasChangedSinceItWasLoadedLetsNoThreadSleep() {
    Sleeper sleeper = watch();
    int value = sleeper.begin(window);
    assertThat(futexes.ring(window)).isTrue();
    sleeper.sleep(window, value, FOR_EVER);
    assertThat(sleeper.isUsable()).isTrue();
  }

  @Test
  void aSleepEndsInTime() {
    Sleeper sleeper = watch();
    sleeper.sleep(window, sleeper.begin(window), 1);
    assertThat(sleeper.isUsable()).isTrue();
  }

  @Test
  void whatComesOnTheConnectionEndsASleepEachTime() throws Exception {
    Sleeper sleeper = watch();
    for (int i = 1; i <= 3; i++) {
      CompletableFuture<Integer> ended = sleep(sleeper);
      peer.write(ByteBuffer.allocate(1));
      assertThat(get(ended)).isEqualTo(i);
      assertThat(futexes.isReadable(tcp)).isTrue();
      sleeper.end();
    }
    CompletableFuture<Integer> ended = sleep(sleeper);
    peer.close();
    assertThat(get(ended)).isGreaterThan(3);
  }

  /** The JVM waits for threads in the kernel when it ends, and its hooks may still use streams. */
  @Test
  void aProcessThatLeavesHearsItsConnectionsOutsideOfTheKernel() throws Exception {
    Sleeper sleeper = watch();
    futexes.leave();
    await().until(FutexesTest::aWatcherIsParked);
    peer.write(ByteBuffer.allocate(1));
    await().until(() -> sleeper.events() == 1);
  }

  private static boolean aWatcherIsParked() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(t ->
            t.getName().equals("slipstream-watcher") && t.getState() == Thread.State.TIMED_WAITING);
  }

  @Test
  void whatHadComeBeforeTheConnectionWasWatchedIsReported() throws Exception {
    peer.close();
    await().until(() -> futexes.isReadable(tcp));
    Sleeper sleeper = watch();
    await().until(() -> sleeper.events() > 0);
  }

  @Test
  void anEmptyConnectionIsNotReadable() throws Exception {
    assertThat(futexes.isReadable(tcp)).isFalse();
    peer.shutdownOutput();
    await().until(() -> futexes.isReadable(tcp));
  }

  @Test
  void aCloseEndsASleepAndTheConnectionIsForgotten() throws Exception {
    Sleeper sleeper = watch();
    CompletableFuture<Integer> ended = sleep(sleeper);
    sleeper.close();
    assertThat(get(ended)).isZero();
    peer.write(ByteBuffer.allocate(1));
    await().until(() -> futexes.isReadable(tcp));
    Sleeper other = Objects.requireNonNull(futexes.watch(peer));
    tcp.write(ByteBuffer.allocate(1));
    await().until(() -> other.events() > 0);
    assertThat(sleeper.events()).isZero();
  }

  @Test
  void anAwakeReaderIsNotWoken() {
    Sleeper sleeper = watch();
    int value = sleeper.begin(window);
    sleeper.end();
    sleeper.wake();
    assertThat(sleeper.begin(window)).isEqualTo(value);
  }

  @Test
  void aWindowThatIsGoneHarmsNoThreadThatWakes() {
    Sleeper sleeper = watch();
    try (Arena arena = Arena.ofShared()) {
      sleeper.begin(word(arena));
    }
    sleeper.wake();
    assertThat(sleeper.isUsable()).isTrue();
  }

  /** As of a file that the peer truncates: a thread that slept before is not found by the word. */
  @Test
  void aWakeUpFindsAThreadWhoseWordIsGone() throws Exception {
    Path path = Files.createTempFile("window", ".bin");
    try (FileChannel file =
            FileChannel.open(
                path,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
        Arena arena = Arena.ofShared()) {
      MemorySegment mapped =
          file.map(FileChannel.MapMode.READ_WRITE, 0, ControlLayout.BYTES, arena);
      Sleeper sleeper = watch();
      CompletableFuture<Integer> ended = sleep(sleeper, new FutexWord(mapped));
      file.truncate(0);
      assertThat(ended).isNotDone();
      sleeper.wake();
      assertThat(get(ended)).isZero();
    }
  }

  @Test
  void aDescriptorThatIsWatchedAlreadyIsLeftAlone() {
    watch();
    assertThat(futexes.watch(tcp)).isNull();
  }

  @Test
  void aClosedConnectionIsNotWatched() throws Exception {
    await().until(futexes::areReady);
    tcp.close();
    assertThat(futexes.watch(tcp)).isNull();
  }

  @Test
  void nothingIsStartedBeforeItPays() {
    AtomicInteger started = new AtomicInteger();
    Futexes young =
        new Futexes(new ReflectedDescriptors(), () -> started.incrementAndGet() < 0, 10);
    for (int i = 1; i < 10; i++) {
      assertThat(young.areReady()).isFalse();
    }
    assertThat(started).hasValue(0);
    assertThat(young.ring(window)).isFalse();
    assertThat(started).hasValue(1);
  }

  @Test
  void withoutNativeAccessNothingIsStarted() {
    AtomicInteger asked = new AtomicInteger();
    Futexes refused = new Futexes(new ReflectedDescriptors(), () -> asked.incrementAndGet() < 0, 1);
    assertThat(refused.areReady()).isFalse();
    assertThat(refused.ring(window)).isFalse();
    assertThat(refused.watch(tcp)).isNull();
    assertThat(asked).as("asked once").hasValue(1);
    assertThat(refused.areAllowed()).isFalse();
  }
}
