package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Who may be taken for himself. */
class OverflowUserTest {
  private static final List<String> EVERYBODY = List.of("         0          0 4294967295");
  private static final List<String> OF_A_CONTAINER = List.of("0 100000 65536");

  @Test
  void inTheFirstNamespaceTheOverflowUserIsAUserLikeOthers() {
    assertThat(OverflowUser.ambiguity(65534, 65534, EVERYBODY)).isNull();
    assertThat(OverflowUser.ambiguity(65534, 65534, List.of("0 0 1000", "1000 1000 4294966295")))
        .isNull();
  }

  @Test
  void otherIdsAreNeverThoseOfUnmappedUsers() {
    assertThat(OverflowUser.ambiguity(0, 65534, List.of())).isNull();
    assertThat(OverflowUser.ambiguity(65534, 65533, OF_A_CONTAINER)).isNull();
    assertThat(OverflowUser.ambiguity(1000, 65534, List.of("1000 1000 1"))).isNull();
  }

  @Test
  void theOverflowUserOfANamespaceIsNotToldFromUnmappedUsersEvenIfItIsMapped() {
    for (List<String> map : List.of(List.<String>of(), List.of("0 0 1"), OF_A_CONTAINER)) {
      assertThat(OverflowUser.ambiguity(65534, 65534, map))
          .isEqualTo(
              "user 65534 stands for every unmapped user in this user namespace, so it is unknown"
                  + " whose memory it would be; run as another user");
    }
  }

  @Test
  void thisProcessIsAsked() {
    assertThat(new ShmTransport().availability().available())
        .isEqualTo(OverflowUser.ambiguity() == null);
  }
}
