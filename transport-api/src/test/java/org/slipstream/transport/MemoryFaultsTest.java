package org.slipstream.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The error of a truncated mapping arrives inside the block that has made the access, in compiled
 * code too; without the call almost every one of these escapes once both compilers are done.
 */
class MemoryFaultsTest {
  private static final int BYTES = 8192;
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  /** Enough for both compilers; what is not compiled by then is interpreted, and throws at once. */
  private static final int WARM_UP = 300_000;

  private static final int FAULTS = 2_000;
  private static final int CAUGHT = -77;

  private static int look(MemorySegment memory) {
    try {
      return MemoryFaults.settled((int) (long) LONG.getAcquire(memory, 0L));
    } catch (InternalError e) {
      return CAUGHT;
    }
  }

  private static int copy(ByteBuffer memory, ByteBuffer to) {
    try {
      to.put(0, memory, 0, to.capacity());
      return MemoryFaults.settled((int) to.get(0));
    } catch (InternalError e) {
      return CAUGHT;
    }
  }

  private static int store(MemorySegment memory) {
    try {
      LONG.setRelease(memory, 8L, 5L);
      MemoryFaults.settle();
      return 0;
    } catch (InternalError e) {
      return CAUGHT;
    }
  }

  private static int sum(MemorySegment memory, ByteBuffer view, ByteBuffer to, int rounds) {
    int caught = 0;
    for (int i = 0; i < rounds; i++) {
      caught += look(memory) == CAUGHT ? 1 : 0;
      caught += copy(view, to) == CAUGHT ? 1 : 0;
      caught += store(memory) == CAUGHT ? 1 : 0;
    }
    return caught;
  }

  @Test
  void theErrorArrivesBeforeTheBlockIsLeft(@TempDir Path temp) throws IOException {
    try (FileChannel file =
        FileChannel.open(
            temp.resolve("memory"),
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate(BYTES));
      MemorySegment memory = file.map(MapMode.READ_WRITE, 0, BYTES, Arena.ofAuto());
      ByteBuffer view = memory.asByteBuffer();
      ByteBuffer to = ByteBuffer.allocate(64);
      for (int i = 0; i < 10; i++) {
        assertThat(sum(memory, view, to, WARM_UP / 10)).isZero();
      }
      file.truncate(0);
      assertThat(sum(memory, view, to, FAULTS)).isEqualTo(3 * FAULTS);
    }
  }
}
