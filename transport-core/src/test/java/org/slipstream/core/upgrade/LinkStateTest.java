package org.slipstream.core.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every set of facts about a link, and what it means. */
class LinkStateTest {

  enum Fact {
    FAILED,
    LOST,
    PROVEN,
    REVOKED,
    ASKED,
    PEER_CLOSED;

    void happenTo(LinkState s) {
      switch (this) {
        case FAILED -> s.failed();
        case LOST -> s.lost();
        case PROVEN -> s.proven();
        case REVOKED -> s.revoked();
        case ASKED -> s.asked();
        case PEER_CLOSED -> s.peerClosed();
      }
    }
  }

  static Stream<Set<Fact>> all() {
    Fact[] facts = Fact.values();
    return IntStream.range(0, 1 << facts.length)
        .mapToObj(set -> {
          Set<Fact> some = EnumSet.noneOf(Fact.class);
          for (int i = 0; i < facts.length; i++) {
            if ((set >> i & 1) != 0) {
              some.add(facts[i]);
            }
          }
          return some;
        });
  }

  private static LinkState after(Set<Fact> facts) {
    LinkState s = new LinkState();
    facts.forEach(fact -> fact.happenTo(s));
    return s;
  }

  @ParameterizedTest
  @MethodSource("all")
  void factsAddUp(Set<Fact> facts) {
    LinkState s = after(facts);
    assertThat(s.isFailed()).isEqualTo(facts.contains(Fact.FAILED) || facts.contains(Fact.LOST));
    assertThat(s.isLost()).isEqualTo(facts.contains(Fact.LOST));
    assertThat(s.isProven()).isEqualTo(facts.contains(Fact.PROVEN));
    assertThat(s.isRevoked()).isEqualTo(facts.contains(Fact.REVOKED));
    assertThat(s.isRevokedOrAsked())
        .isEqualTo(facts.contains(Fact.REVOKED) || facts.contains(Fact.ASKED));
    assertThat(s.isPeerClosed()).isEqualTo(facts.contains(Fact.PEER_CLOSED));
  }

  @ParameterizedTest
  @MethodSource("all")
  void aDirectionLeavesTheRingForEveryReasonUnlessThePeerHasClosed(Set<Fact> facts) {
    LinkState s = after(facts);
    boolean bad =
        facts.contains(Fact.FAILED) || facts.contains(Fact.LOST) || facts.contains(Fact.REVOKED);
    boolean closed = facts.contains(Fact.PEER_CLOSED);
    assertThat(s.mustLeaveRing(false)).isEqualTo(bad && !closed);
    assertThat(s.mustLeaveRing(true)).isEqualTo(!closed);
  }

  @ParameterizedTest
  @MethodSource("all")
  void aDirectionEntersTheRingForNone(Set<Fact> facts) {
    LinkState s = after(facts);
    boolean bad =
        facts.contains(Fact.FAILED)
            || facts.contains(Fact.LOST)
            || facts.contains(Fact.REVOKED)
            || facts.contains(Fact.PEER_CLOSED);
    assertThat(s.mayEnterRing(false, false)).isEqualTo(!bad);
    assertThat(s.mayEnterRing(true, false)).isFalse();
    assertThat(s.mayEnterRing(false, true)).isFalse();
  }

  /** Else a direction would go to and fro. */
  @ParameterizedTest
  @MethodSource("all")
  void noDirectionMayEnterWhatItMustLeave(Set<Fact> facts) {
    LinkState s = after(facts);
    for (boolean broken : new boolean[] {false, true}) {
      assertThat(s.mayEnterRing(broken, false) && s.mustLeaveRing(broken)).isFalse();
    }
  }

  @Test
  void onlyTheFirstOneIsToldThatItIsNews() {
    LinkState s = new LinkState();
    assertThat(s.revoked()).isTrue();
    assertThat(s.revoked()).isFalse();
    assertThat(s.asked()).isTrue();
    assertThat(s.asked()).isFalse();
  }
}
