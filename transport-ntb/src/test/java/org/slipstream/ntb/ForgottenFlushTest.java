package org.slipstream.ntb;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.ntb.sisci.NativeTestLibrary;
import org.slipstream.ntb.sisci.SisciLibrary;
import org.slipstream.transport.slab.SlabLayout;

/** What a link that forgets a flush does over the loopback library: its peer waits for ever. */
class ForgottenFlushTest {
  private static final SlabLayout LAYOUT = new SlabLayout(1, 16 * 1024);
  private static final int SEGMENT = 4711;

  /** The real one, but for flushes that are left out. */
  private static final class Forgetful implements Imported {
    private final Imported real;
    private boolean forgets;

    Forgetful(Imported real) {
      this.real = real;
    }

    @Override
    public void flush() {
      if (!forgets) {
        real.flush();
      }
    }

    @Override
    public MemorySegment memory() {
      return real.memory();
    }

    @Override
    public void read(long offset, byte[] out) throws java.io.IOException {
      real.read(offset, out);
    }

    @Override
    public Health health() {
      return real.health();
    }

    @Override
    public boolean isBroken() {
      return real.isBroken();
    }

    @Override
    public boolean losesStores() {
      return real.losesStores();
    }

    @Override
    public @Nullable Check createCheck() {
      return real.createCheck();
    }

    @Override
    public MemorySegment mirror() {
      return real.mirror();
    }

    @Override
    public long crossover() {
      return real.crossover();
    }

    @Override
    public boolean transfer(long offset, long bytes) {
      return real.transfer(offset, bytes);
    }

    @Override
    public void close() {
      real.close();
    }
  }

  private Exported exported;
  private Forgetful imported;
  private NtbLink link;

  @BeforeEach
  void aLinkFromNode4ToNode8() throws Throwable {
    NativeTestLibrary natives = NativeTestLibrary.of("loopback");
    Path directory =
        Path.of("target", "loopback-worlds", "loopback-" + ProcessHandle.current().pid());
    Files.createDirectories(directory);
    natives.configure(directory.toAbsolutePath(), "4,8", true);
    SisciLibrary library = natives.load();
    NtbSettings settings =
        new NtbSettings(null, natives.path(), NtbSettings.TRUSTED, "off", "commit", null, "64m");
    var fabrics = SisciFabric.open(library, settings);
    exported = fabrics.get(1).export(SEGMENT, LAYOUT.bytes(), new byte[0]);
    imported = new Forgetful(fabrics.get(0).connect(8, SEGMENT, true));
    link =
        new NtbLink(
            () -> {},
            released -> {},
            MemorySegment.NULL,
            MemorySegment.NULL,
            imported,
            LAYOUT.controlOffset(0),
            LAYOUT.ringOffset(0),
            LAYOUT.ringBytes());
  }

  @AfterEach
  void close() {
    if (imported != null) { // skipped without a C compiler
      imported.close();
      exported.close();
    }
  }

  private void write() {
    link.sendRing().set(JAVA_LONG, 0, 42);
    link.push(0, 8);
    link.sendControl().set(JAVA_LONG, 120, 5);
    link.publish(0, 8);
  }

  private long peers(long offset) {
    return exported.memory().get(JAVA_LONG, offset);
  }

  @Test
  void whatIsPublishedIsThere() {
    write();
    link.publishInt(32, 3);
    assertThat(peers(LAYOUT.ringOffset(0))).isEqualTo(42);
    assertThat(peers(0)).isEqualTo(8);
    assertThat(peers(120)).isEqualTo(5);
    assertThat(peers(32)).isEqualTo(3);
  }

  @Test
  void withoutTheFlushOfAPublishNothingIs() {
    imported.forgets = true;
    write();
    assertThat(peers(LAYOUT.ringOffset(0))).isZero();
    assertThat(peers(0)).isZero();
    assertThat(peers(120)).isZero();
  }

  @Test
  void withoutTheFlushOfAWordItIsNot() {
    write();
    imported.forgets = true;
    link.publishInt(32, 3);
    assertThat(peers(32)).isZero();
    imported.forgets = false;
    link.flush();
    assertThat(peers(32)).isEqualTo(3);
  }
}
