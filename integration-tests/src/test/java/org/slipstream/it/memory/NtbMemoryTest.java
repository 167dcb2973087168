package org.slipstream.it.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slipstream.it.conformance.LoopbackNodes;
import org.slipstream.memory.Domain;
import org.slipstream.memory.Region;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Status;
import org.slipstream.testkit.Extent;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.TestDirectory;

/**
 * Over a loopback SISCI library whose stores stay invisible until they are flushed, and then arrive
 * in any order: this JVM is two nodes, 4 and 8, and all addresses are those of node 8.
 */
class NtbMemoryTest extends NtbMemoryContract {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static Path library;
  private static Path hosts;

  /** A copy of the library, because another test may have configured that one for this JVM. */
  @BeforeAll
  static void joinAFabric() throws IOException {
    Path home = TestDirectory.create().path(); // the library keeps it for the life of the JVM
    library = LoopbackNodes.join("permuted", home, true);
    hosts = Files.writeString(home.resolve("hosts"), "127.0.0.1 8@0\n::1 8@0\n");
  }

  @Override
  protected Domain domain() throws IOException {
    set("slipstream.ntb.hosts", hosts);
    set("slipstream.ntb.library", library);
    return super.domain();
  }

  @Override
  int mappings() {
    return 10_000;
  }

  /** One region, one client on its host and one across the bridge, and the owner itself. */
  @Test
  void atomicOperationsOverBothMediaAreAtomicWithEachOther() throws Exception {
    transports = "shm,ntb";
    Domain both = domain();
    transports = "shm";
    Domain near = domain();
    Region region = both.export("r", 64, ALL);
    RemoteRegion across = client.map(both.owner(), "r");
    RemoteRegion here = near.map(both.owner(), "r");
    assertThat(across.direct()).isEmpty();
    MemorySegment direct = here.direct().orElseThrow();
    int each = Extent.of(2_000);
    CompletableFuture<Void> adder =
        CompletableFuture.runAsync(() -> {
          for (int i = 0; i < each; i++) {
            long _ = (long) LONG.getAndAdd(direct, 0L, 1L);
            long _ = (long) LONG.getAndAdd(region.memory(), 0L, 1L);
            Thread.yield();
          }
        });
    MemorySegment before = arena.allocate(8);
    for (int i = 0; i < each; i++) {
      assertThat(outcome(queue.fetchAdd(across, 0, 1, before, 1))).isEqualTo(Status.OK);
    }
    adder.get(Patience.LONG.toSeconds(), TimeUnit.SECONDS);
    assertThat(region.memory().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(3L * each);
    assertThat(region.revokeAll(Patience.DEADLINE)).isTrue();
    assertThat(outcome(queue.fetchAdd(across, 0, 1, before, 1))).isEqualTo(Status.REVOKED);
  }
}
