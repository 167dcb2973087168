package org.slipstream.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ArmTest {
  private static List<Arm> stock(Arm arm) {
    return Stream.of(Arm.values()).filter(arm::isBeside).toList();
  }

  /** A ratio to a start without a cache would be that of the cache. */
  @ParameterizedTest
  @EnumSource
  void aLineComparesWithStockTcpThatStartsTheSameWay(Arm arm) {
    assertThat(stock(arm))
        .isEqualTo(
            switch (arm) {
              case SHM, NTB, RDMA -> List.of(Arm.SHIPPED, Arm.TCP);
              case SHM_CACHED -> List.of(Arm.TCP_CACHED);
              default -> List.of();
            });
  }

  @Test
  void linesAndRowsOfArmsCanBeToldApart() {
    assertThat(Stream.of(Arm.values()).map(Arm::carrier)).doesNotHaveDuplicates();
    assertThat(Stream.of(Arm.values()).map(Arm::title)).doesNotHaveDuplicates();
    assertThat(Stream.of(Arm.SHM, Arm.NTB, Arm.RDMA, Arm.SHM_CACHED).map(Arm::suffix))
        .doesNotHaveDuplicates();
  }
}
