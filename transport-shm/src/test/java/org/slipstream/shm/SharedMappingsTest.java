package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What the lines of {@code /proc/PID/maps} say about processes that have mapped a slab. */
class SharedMappingsTest {
  private static final List<String> MAPS =
      List.of(
          "7f00-7f10 rw-s 00000000 00:19 1234                       /run/user/1/slipstream/x/ab/slab-0 (deleted)",
          "7f10-7f20 rw-s 00000000 00:19 1235                       /run/user/1/slipstream/x/ab/slab-1",
          "7f20-7f30 rw-p 00000000 00:19 1236                       /run/user/1/slipstream/x/ab/slab-2",
          "7f30-7f40 rw-s 00000000 00:19 1237                       /run/a directory/slab-3 (deleted)",
          "7f40-7f50 rw-p 00000000 00:00 0 ",
          "7f50-7f60 rw-p 00000000 00:00 0                          [heap]",
          "");

  @Test
  void filesAreNamedByDeviceAndInode() {
    assertThat(SharedMappings.files(MAPS, path -> true))
        .as("that are mapped shared")
        .containsExactlyInAnyOrder("00:19 1234", "00:19 1235", "00:19 1237");
    assertThat(SharedMappings.files(MAPS, "/run/user/1/slipstream/x/ab/slab-0"::equals))
        .containsExactly("00:19 1234");
    assertThat(SharedMappings.files(MAPS, "/run/a directory/slab-3"::equals))
        .containsExactly("00:19 1237");
  }

  @Test
  void aPathIsKnownByItsLastTwoNames() {
    assertThat(SharedMappings.name("/run/user/1/slipstream/x/ab/slab-0")).isEqualTo("ab/slab-0");
    assertThat(SharedMappings.name("slab-0")).isEqualTo("slab-0");
  }

  @Test
  void anotherProcessSharesNothingWithUs() throws Exception {
    long parent = ProcessHandle.current().parent().orElseThrow().pid();
    assertThat(SharedMappings.isShared(parent, path -> path.endsWith("slab-0"))).isFalse();
  }
}
