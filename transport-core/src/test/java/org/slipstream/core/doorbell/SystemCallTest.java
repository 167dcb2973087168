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

  @Test
  void noNumberIsGuessed() {
    assertThatThrownBy(() -> SystemCall.FUTEX.on(new Platform("Linux", "s390x")))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("this is s390x");
  }
}
