package org.slipstream.ntb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A segment that does not come must not keep others waiting. */
@Timeout(60)
class SetupThreadTest {
  private static final int THERE = 77;
  private static final int NEVER = 78;
  private static final long PATIENCE_S = 50;

  @TempDir private Path directory;
  private final SetupThread setup = new SetupThread();
  private Fabric owner;
  private Fabric fabric;

  @BeforeEach
  void twoNodes() throws Exception {
    Path file = directory.resolve("window");
    try (RandomAccessFile f = new RandomAccessFile(file.toFile(), "rw")) {
      f.setLength(4 << 20);
    }
    owner = FileFabric.open(file, 1, 2);
    fabric = FileFabric.open(file, 2, 1);
  }

  /** What a HELLO of a process that has died does, or one that was recorded and is sent again. */
  @Test
  void aSearchForADeadPeerHoldsUpNoOther() throws Exception {
    assertThat(owner.export(THERE, 4096, new byte[0])).isNotNull();
    CompletableFuture<IOException> gone = new CompletableFuture<>();
    for (int i = 0; i < 20; i++) {
      setup.connect(fabric, 1, NEVER, false, s -> gone.cancel(true), gone::complete);
    }
    CompletableFuture<Boolean> others = new CompletableFuture<>();
    setup.execute(() -> others.complete(gone.isDone()));
    assertThat(others.get(PATIENCE_S, TimeUnit.SECONDS))
        .as("the dead one was given up before the task of another had its turn")
        .isFalse();
    CompletableFuture<Boolean> found = new CompletableFuture<>();
    setup.connect(
        fabric, 1, THERE, false, s -> found.complete(gone.isDone()), found::completeExceptionally);
    assertThat(found.get(PATIENCE_S, TimeUnit.SECONDS)).as("given up before").isFalse();
    assertThat(gone.get(PATIENCE_S, TimeUnit.SECONDS))
        .hasMessage("segment 0x4e of node 1 is not there");
  }

  @Test
  void aSegmentThatComesLaterIsFound() throws Exception {
    CompletableFuture<Imported> found = new CompletableFuture<>();
    setup.connect(fabric, 1, THERE, false, found::complete, found::completeExceptionally);
    assertThat(owner.export(THERE, 4096, new byte[0])).isNotNull();
    assertThat(found.get(PATIENCE_S, TimeUnit.SECONDS).memory().byteSize()).isEqualTo(4096);
  }
}
