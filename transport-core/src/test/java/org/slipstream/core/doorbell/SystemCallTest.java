package org.slipstream.core.doorbell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.transport.Platform;

class SystemCallTest {

  /** As {@code asm/unistd.h} of each has them: futex, epoll_create1, epoll_ctl, epoll_pwait. */
  @ParameterizedTest
  @CsvSource({
    "amd64, 202, 291, 233, 281",
    "x86_64, 202, 291, 233, 281",
    "aarch64, 98, 20, 21, 22",
    "riscv64, 98, 20, 21, 22",
    "loongarch64, 98, 20, 21, 22",
    "ppc64le, 221, 315, 237, 303",
  })
  void eachProcessorHasItsNumbers(
      String architecture, int futex, int create, int control, int wait) {
    Platform platform = new Platform("Linux", architecture);
    assertThat(SystemCall.FUTEX.on(platform)).isEqualTo(futex);
    assertThat(SystemCall.EPOLL_CREATE.on(platform)).isEqualTo(create);
    assertThat(SystemCall.EPOLL_CONTROL.on(platform)).isEqualTo(control);
    assertThat(SystemCall.EPOLL_WAIT.on(platform)).isEqualTo(wait);
  }

  /** As there: setsockopt, getsockopt, recvmsg, fcntl, close. */
  @ParameterizedTest
  @CsvSource({
    "amd64, 54, 55, 47, 72, 3",
    "aarch64, 208, 209, 212, 25, 57",
    "riscv64, 208, 209, 212, 25, 57",
    "loongarch64, 208, 209, 212, 25, 57",
    "ppc64le, 339, 340, 342, 55, 6",
  })
  void socketsHaveThemToo(
      String architecture, int set, int get, int receive, int control, int close) {
    Platform platform = new Platform("Linux", architecture);
    assertThat(SystemCall.SETSOCKOPT.on(platform)).isEqualTo(set);
    assertThat(SystemCall.GETSOCKOPT.on(platform)).isEqualTo(get);
    assertThat(SystemCall.RECVMSG.on(platform)).isEqualTo(receive);
    assertThat(SystemCall.FCNTL.on(platform)).isEqualTo(control);
    assertThat(SystemCall.CLOSE.on(platform)).isEqualTo(close);
  }

  /** As there. */
  @ParameterizedTest
  @CsvSource({"amd64, 98", "aarch64, 165", "riscv64, 165", "loongarch64, 165", "ppc64le, 77"})
  void soHasWhatAThreadHasUsed(String architecture, int usage) {
    assertThat(SystemCall.GETRUSAGE.on(new Platform("Linux", architecture))).isEqualTo(usage);
  }

  @Test
  void noNumberIsGuessed() {
    assertThatThrownBy(() -> SystemCall.FUTEX.on(new Platform("Linux", "s390x")))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("this is s390x");
  }
}
