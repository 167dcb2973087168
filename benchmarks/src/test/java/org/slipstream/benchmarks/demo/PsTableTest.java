package org.slipstream.benchmarks.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PsTableTest {
  private static final String LINE =
      "{\"processes\":[{\"pid\":7,\"program\":\"a.b.Client\",\"streams\":[{\"role\":\"client\","
          + "\"carrier\":\"%s\",\"out\":\"%s\",\"in\":\"%s\",\"ringBytesOut\":12345,"
          + "\"ringBytesIn\":1,\"plainBytesOut\":2,\"plainBytesIn\":3,\"reason\":\"NONE\"}]}]}";

  @Test
  void aStreamIsOnTheRingOnlyIfBothDirectionsAre() {
    PsTable both = PsTable.of(LINE.formatted("shm", "ring", "ring"));
    assertThat(both.isOnRing(7)).isTrue();
    assertThat(both.isOnTcp(7)).isFalse();
    assertThat(both.carrier(7)).isEqualTo("shm");
    PsTable one = PsTable.of(LINE.formatted("tcp", "ring", "plain"));
    assertThat(one.isOnRing(7)).isFalse();
    assertThat(one.isOnTcp(7)).isFalse();
    assertThat(PsTable.of(LINE.formatted("tcp", "plain", "plain")).isOnTcp(7)).isTrue();
  }

  @Test
  void aProcessThatIsNotThereIsOnNothing() {
    PsTable table = PsTable.of(LINE.formatted("shm", "ring", "ring"));
    assertThat(table.isOnRing(8)).isFalse();
    assertThat(table.isOnTcp(8)).isFalse();
    assertThat(PsTable.of("no JSON").streams()).isEmpty();
  }

  @Test
  void theTableHasShortNamesAndAmounts() {
    assertThat(PsTable.of(LINE.formatted("shm", "ring", "ring")).lines().get(1))
        .startsWith("7        Client      client  shm ")
        .contains(" 12k ")
        .endsWith(" 3");
  }
}
