package org.slipstream.it.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slipstream.memory.Domain;
import org.slipstream.memory.Queue;
import org.slipstream.memory.Region;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Right;
import org.slipstream.memory.Status;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.memory.MemoryContract;

/** One-sided memory over shared memory: the contract, and what only loads and stores can do. */
class ShmMemoryTest extends MemoryContract {
  private static final int SIZE = 1 << 20;

  @Override
  protected Queue queue(Domain domain, int depth) {
    return domain.queue(depth);
  }

  // -- direct ----------------------------------------------------------------------------------

  @Test
  void directIsTheMemoryItselfAsFarAsTheRightsGo() throws Exception {
    Region region = owner.export("r", SIZE, Set.of());
    MemorySegment all = client.map(region.grant(ALL)).direct().orElseThrow();
    all.set(ValueLayout.JAVA_LONG, 8, 4711);
    assertThat(region.memory().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(4711);
    RemoteRegion readable = client.map(region.grant(Set.of(Right.READ)));
    assertThat(readable.direct().orElseThrow().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(4711);
    assertThat(readable.direct().orElseThrow().isReadOnly()).isTrue();
    RemoteRegion counted = client.map(region.grant(Set.of(Right.READ, Right.ATOMIC)));
    assertThat(counted.direct().orElseThrow().isReadOnly()).isTrue();
    assertThat(client.map(region.grant(Set.of(Right.WRITE))).direct()).isEmpty();
  }

  @Test
  void directThrowsWhenTheRegionHasEnded() throws Exception {
    Region region = owner.export("r", SIZE, ALL);
    MemorySegment direct = client.map(owner.owner(), "r").direct().orElseThrow();
    region.revokeAll(Patience.DEADLINE);
    assertThatThrownBy(() -> direct.get(ValueLayout.JAVA_LONG, 0))
        .isInstanceOf(IllegalStateException.class);
  }

  /** A write of the JDK to a pipe that is full holds the memory: it can not be unmapped before. */
  @Test
  void revokingWaitsForAnOperationOfTheJdk() throws Exception {
    Region region = owner.export("r", SIZE, ALL);
    RemoteRegion mapped = client.map(owner.owner(), "r");
    ByteBuffer buffer = mapped.direct().orElseThrow().asByteBuffer();
    Pipe pipe = Pipe.open();
    CompletableFuture<Integer> writing =
        CompletableFuture.supplyAsync(() -> {
          try {
            return pipe.sink().write(buffer);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    ByteBuffer first = ByteBuffer.allocate(1);
    assertThat(pipe.source().read(first)).isEqualTo(1); // it is under way
    assertThat(region.revokeAll(Duration.ofMillis(50))).isFalse();
    assertThat(mapped.status()).isEqualTo(Status.REVOKED);
    assertThat(region.mappings()).isEqualTo(1);
    ByteBuffer rest = ByteBuffer.allocate(SIZE - 1);
    while (rest.hasRemaining()) {
      pipe.source().read(rest);
    }
    assertThat(writing.get(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(SIZE);
    assertThat(region.revokeAll(Patience.DEADLINE)).isTrue();
    pipe.source().close();
    pipe.sink().close();
  }

  // -- mistakes of the caller ------------------------------------------------------------------

  @Test
  void localMemoryThatCanNotBeUsedIsAMistakeAndNoFaultOfTheRegion() throws Exception {
    owner.export("r", SIZE, ALL);
    RemoteRegion mapped = client.map(owner.owner(), "r");
    Arena closed = Arena.ofConfined();
    MemorySegment gone = closed.allocate(8);
    closed.close();
    assertThatThrownBy(() -> queue.read(mapped, 0, gone, 1))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> queue.write(mapped, 0, gone, 1))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> queue.fetchAdd(mapped, 0, 1, gone, 1))
        .isInstanceOf(IllegalStateException.class);
    MemorySegment readOnly = MemorySegment.ofArray(new byte[8]).asReadOnly();
    assertThatThrownBy(() -> queue.read(mapped, 0, readOnly, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> queue.fetchAdd(mapped, 0, 1, readOnly, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(queue.poll(new long[1], new Status[1])).as("nothing was posted").isZero();
    assertThat(mapped.status()).isEqualTo(Status.OK);
    MemorySegment word = arena.allocate(8);
    assertThat(outcome(queue.read(mapped, 0, word, 1))).isEqualTo(Status.OK);
    assertThat(word.get(ValueLayout.JAVA_LONG, 0)).as("nothing was added").isZero();
  }

  // -- faults ----------------------------------------------------------------------------------

  /** Of access. */
  private static final int KINDS = 5;

  /** Each kind of access, compiled or not, and the thread goes on. */
  @Test
  void aTruncatedRegionIsLost() throws Exception {
    MemorySegment small = arena.allocate(8);
    MemorySegment odd = arena.allocate(7);
    MemorySegment large = arena.allocate(65536);
    for (int kind = 0; kind < 2 * KINDS; kind++) {
      String name = "r" + kind;
      owner.export(name, SIZE, ALL);
      RemoteRegion mapped = client.map(owner.owner(), name);
      int rounds = kind < KINDS ? 1 : 20_000;
      for (int i = 0; i < rounds; i++) {
        assertThat(access(mapped, kind % KINDS, small, odd, large)).isEqualTo(Status.OK);
      }
      truncate("region-" + kind);
      assertThat(access(mapped, kind % KINDS, small, odd, large)).isEqualTo(Status.LOST);
      assertThat(mapped.status()).isEqualTo(Status.LOST);
      mapped.close();
    }
  }

  private Status access(
      RemoteRegion region, int kind, MemorySegment small, MemorySegment odd, MemorySegment large) {
    return outcome(
        switch (kind) {
          case 0 -> queue.read(region, 4096, small, 1);
          case 1 -> queue.write(region, 4097, odd, 1);
          case 2 -> queue.read(region, 0, large, 1);
          case 3 -> queue.fetchAdd(region, 8192, 1, small, 1);
          default -> queue.compareAndSet(region, 8200, 0, 0, small, 1);
        });
  }

  private void truncate(String name) throws IOException {
    try (Stream<Path> all = Files.walk(directory.path())) {
      List<Path> found = all.filter(path -> path.endsWith(name)).toList();
      assertThat(found).hasSize(1);
      try (RandomAccessFile file = new RandomAccessFile(found.getFirst().toFile(), "rw")) {
        file.setLength(0);
      }
    }
  }

  @Test
  void aRegionThatDoesNotFitIsRefusedBeforeItFillsTheFileSystem() throws Exception {
    assertThatThrownBy(() -> owner.export("huge", 1L << 50, ALL))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no memory for a region of")
        .hasMessageContaining("bytes left");
    owner.export("huge", SIZE, ALL);
  }

  // -- what it costs ---------------------------------------------------------------------------

  @Test
  void theDataPathDoesNotAllocate() throws Exception {
    assertOperationsDoNotAllocate();
  }

  @Test
  void nothingIsLeftAfterAThousandMappings() throws Exception {
    Region region = owner.export("r", SIZE, ALL);
    client.map(owner.owner(), "r").close();
    Patience.await().until(() -> region.mappings() == 0);
    int descriptors = descriptors();
    int mappings = mappings();
    for (int i = 0; i < 1000; i++) {
      RemoteRegion mapped = client.map(owner.owner(), "r");
      assertThat(mapped.status()).isEqualTo(Status.OK);
      mapped.close();
    }
    Patience.await().until(() -> region.mappings() == 0);
    assertThat(mappings()).isEqualTo(mappings);
    Patience.await().until(() -> descriptors() <= descriptors);
  }

  private int mappings() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
      return (int) lines.filter(l -> l.contains(directory.path().toString())).count();
    }
  }

  private static int descriptors() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return (int) all.count();
    }
  }
}
