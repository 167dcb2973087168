package org.slipstream.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where the chunks of a reservation are, as the directory has it. */
class PlacementTest {
  private static final String LABEL = "00112233445566778899aabbccddeeff";
  private static final Owner A = Owner.at(new InetSocketAddress("10.0.0.1", 7000));
  private static final Owner B = Owner.at(new InetSocketAddress("10.0.0.2", 7000));

  @Test
  void itIsThreeLines() throws Exception {
    Placement placement = Placement.of(LABEL, List.of(B, A, B));
    assertThat(placement.encode()).isEqualTo(LABEL + "\n" + B.key() + " " + A.key() + "\n0 1 0");
    Placement read = Placement.decode(placement.encode());
    assertThat(read).isEqualTo(placement);
    assertThat(read.chunks()).isEqualTo(3);
    assertThat(List.of(read.owner(0), read.owner(1), read.owner(2))).containsExactly(B, A, B);
    assertThat(Placement.isMade(LABEL)).isFalse();
    assertThat(Placement.isMade(placement.encode())).isTrue();
  }

  /** ZooKeeper's own limit is one MiB. */
  @Test
  void theLargestReservationFitsIntoANode() {
    Placement placement = Placement.of(LABEL, Collections.nCopies(1 << 16, A));
    assertThat(placement.encode().length()).isLessThan(1 << 20);
  }

  @Test
  void whatIsNoPlacementIsRefused() {
    String good = Placement.of(LABEL, List.of(A, B)).encode();
    for (String bad :
        new String[] {
          "",
          LABEL,
          good + "\n",
          good.replace(LABEL, LABEL.substring(1)),
          good.replace("0 1", "0 2"),
          good.replace("0 1", "0 -1"),
          good.replace("0 1", ""),
          good.replace("0 1", "0  1"),
          good.replace("0 1", "0 99999999999"),
          good.replace("at-", "xx-")
        }) {
      assertThatThrownBy(() -> Placement.decode(bad))
          .as(bad)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no placement");
    }
  }
}
