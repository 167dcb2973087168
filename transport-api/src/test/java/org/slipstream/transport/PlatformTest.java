package org.slipstream.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What differs between processors, as the headers of Linux say it; and which ones are refused. */
class PlatformTest {

  /** The table of system calls, {@code EPOLL_PACKED}, and order. */
  @ParameterizedTest
  @CsvSource({
    "amd64, 1, true, true",
    "x86_64, 1, true, true",
    "aarch64, 2, false, false",
    "AARCH64, 2, false, false",
    "riscv64, 2, false, false",
    "loongarch64, 2, false, false",
    "ppc64le, 3, false, false",
  })
  void whatDiffersIsLookedUp(
      String architecture, int table, boolean packed, boolean ordersDeviceStores) {
    Platform platform = new Platform("Linux", architecture);
    assertThat(platform.objection()).isNull();
    assertThat(platform.systemCall(1, 2, 3)).isEqualTo(table);
    assertThat(platform.packsEpollEvents()).isEqualTo(packed);
    assertThat(platform.ordersDeviceStores()).isEqualTo(ordersDeviceStores);
  }

  @ParameterizedTest
  @CsvSource({"x86", "i386", "arm", "ppc64", "s390x", "mips64el", "sparcv9", "''"})
  void aProcessorThatIsNotKnownIsRefusedByItsName(String architecture) {
    Platform platform = new Platform("Linux", architecture);
    assertThat(platform.objection())
        .isEqualTo(
            "Slipstream needs x86-64, AArch64, RISC-V 64, LoongArch64 or PowerPC 64 LE; this is "
                + architecture);
    assertThatThrownBy(() -> platform.systemCall(1, 2, 3)).hasMessage(platform.objection());
    assertThatThrownBy(platform::packsEpollEvents).hasMessage(platform.objection());
    assertThat(platform.ordersDeviceStores()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "Mac OS X, aarch64",
    "Mac OS X, x86_64",
    "Windows 11, amd64",
    "Windows Server 2025, amd64",
    "FreeBSD, amd64",
    "AIX, ppc64",
  })
  void anotherSystemIsRefusedByItsName(String system, String architecture) {
    assertThat(new Platform(system, architecture).objection())
        .isEqualTo("Slipstream needs Linux; this is " + system);
  }

  @Test
  void thisOneIsAsJavaNamesIt() {
    assertThat(Platform.here().toString()).startsWith(System.getProperty("os.name") + " on ");
  }
}
