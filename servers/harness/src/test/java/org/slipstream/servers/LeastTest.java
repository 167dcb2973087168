package org.slipstream.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LeastTest {
  private static final List<Long> BOTH = List.of(1L, 2L);

  /** Server 1 has moved 900 of 1000 bytes by rings, server 2 100 of 200, and a client nothing. */
  private static final Ps TOTALS =
      ps(
          Map.of(
              1L, totals(600, 300, 60, 40),
              2L, totals(100, 0, 0, 100),
              3L, totals(0, 0, 5000, 5000)));

  /** One stream joins both, with 80 of 100 bytes by rings; the client's does not count. */
  private static final Ps STREAMS =
      ps(
          Map.of(
              1L, stream("h:1", "h:2", 80, 20) + "," + stream("h:1", "h:9", 0, 9000),
              2L, stream("h:2", "h:1", 80, 20),
              3L, stream("h:9", "h:1", 0, 9000)));

  private static Ps ps(Map<Long, String> said) {
    return new Ps(said, List.of());
  }

  private static String totals(int ringOut, int ringIn, int plainOut, int plainIn) {
    return ("{\"ringBytesOut\":%d,\"ringBytesIn\":%d,"
            + "\"plainBytesOut\":%d,\"plainBytesIn\":%d,\"messagesOut\":7}")
        .formatted(ringOut, ringIn, plainOut, plainIn);
  }

  private static String stream(String local, String remote, int ring, int plain) {
    return "{\"local\":\"%s\",\"remote\":\"%s\",\"ringBytesOut\":%d,\"plainBytesIn\":%d}"
        .formatted(local, remote, ring, plain);
  }

  private static void assertComplains(Least least, List<Long> servers, Ps totals, String why) {
    assertThatThrownBy(() -> least.check(servers, Ps.NONE, totals, STREAMS))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(why);
  }

  @Test
  void theShareIsThatOfTheServers() {
    assertThat(Least.of(0.83).check(BOTH, Ps.NONE, TOTALS, STREAMS))
        .isCloseTo(1000 / 1200.0, within(1e-9));
    assertComplains(Least.of(0.84), BOTH, TOTALS, "all servers");
    assertComplains(Least.of(0), List.of(), TOTALS, "no server");
  }

  /** Since then server 1 has moved 850 of 900 bytes by rings, and server 2 none of 100. */
  @Test
  void whatTheRowBeforeMovedDoesNotCount() {
    Ps earlier = ps(Map.of(1L, totals(50, 0, 50, 0), 2L, totals(100, 0, 0, 0)));
    assertThat(Least.of(0.84).check(BOTH, earlier, TOTALS, STREAMS))
        .isCloseTo(850 / 1000.0, within(1e-9));
    assertThatThrownBy(() -> Least.of(0.86).check(BOTH, earlier, TOTALS, STREAMS))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("all servers");
    assertThatThrownBy(() -> Least.of(0).check(BOTH, TOTALS, TOTALS, STREAMS))
        .as("nothing moved")
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void eachServerHasItsOwn() {
    assertThat(Least.of(0.5).each(0.49).check(BOTH, Ps.NONE, TOTALS, STREAMS)).isPositive();
    assertComplains(Least.of(0.5).each(0.51), BOTH, TOTALS, "0.500");
  }

  @Test
  void aServerWithoutAByteInRingsFailsEveryRow() {
    assertComplains(Least.of(0), List.of(1L, 3L), TOTALS, "0.000");
  }

  @Test
  void streamsBetweenServersHaveTheirOwn() {
    assertThat(Least.of(0.5).between(0.79).check(BOTH, Ps.NONE, TOTALS, STREAMS)).isPositive();
    assertComplains(Least.of(0.5).between(0.81), BOTH, TOTALS, "between servers");
    assertComplains(Least.of(0.5).between(0), List.of(1L), TOTALS, "between servers");
  }

  @Test
  void aProcessThatIsSilentOrMissingFails() {
    assertComplains(Least.of(0), List.of(1L, 4L), TOTALS, "4 is not listed");
    assertComplains(Least.of(0), BOTH, new Ps(TOTALS.said(), List.of(5L)), "no answer from [5]");
  }
}
