package org.slipstream.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@link CrowdIT} counts: real pins are, waits for classes are not. */
class PinsTest {
  private static final int PAUSE_MS = 50;

  /** What a virtual thread does that is recorded. */
  @FunctionalInterface
  private interface Life {
    void live() throws Throwable;
  }

  /** Initialised once, slowly, by the first that needs it. */
  private static final class Slow {
    static final CountDownLatch BEGUN = new CountDownLatch(1);

    private static final class Value {
      static final int NUMBER = number();

      private static int number() {
        BEGUN.countDown();
        pause();
        return 7;
      }
    }
  }

  @Test
  void aThreadThatWaitsBelowANativeFrameIsAPin(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("pin.jfr");
    record(file, PinsTest::sortWithPauses);
    assertThat(Pins.of(file)).isNotEmpty();
  }

  @Test
  void aThreadThatWaitsForAClassIsNone(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("class.jfr");
    record(
        file,
        () -> {
          Thread first =
              Thread.ofPlatform().start(() -> assertThat(Slow.Value.NUMBER).isEqualTo(7));
          Slow.BEGUN.await();
          assertThat(Slow.Value.NUMBER).isEqualTo(7);
          first.join();
        });
    List<RecordedEvent> all = RecordingFile.readAllEvents(file);
    assertThat(all).as("of the JVM").isNotEmpty();
    assertThat(Pins.of(file)).isEmpty();
  }

  private static void record(Path file, Life life) throws Exception {
    try (Recording recording = new Recording()) {
      Pins.enable(recording);
      recording.start();
      Thread.ofVirtual()
          .start(() -> {
            try {
              life.live();
            } catch (Throwable e) {
              throw new AssertionError(e);
            }
          })
          .join();
      recording.stop();
      recording.dump(file);
    }
  }

  /** The C library's qsort calls a comparison, which waits: there is a native frame below it. */
  @SuppressWarnings("restricted") // this is what pins
  private static void sortWithPauses() throws Throwable {
    Linker linker = Linker.nativeLinker();
    MethodHandle sort =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("qsort"),
            FunctionDescriptor.ofVoid(
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.ADDRESS));
    MethodHandle compare =
        MethodHandles.lookup()
            .findStatic(
                PinsTest.class,
                "compare",
                MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment function =
          linker.upcallStub(
              compare,
              FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS),
              arena);
      sort.invokeExact(arena.allocateFrom(ValueLayout.JAVA_INT, 2, 1), 2L, 4L, function);
    }
  }

  @SuppressWarnings("unused") // called by qsort
  private static int compare(MemorySegment one, MemorySegment other) {
    pause();
    return 0;
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
