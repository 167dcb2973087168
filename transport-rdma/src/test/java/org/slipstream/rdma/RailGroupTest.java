package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Over which of several sessions with one process a stream is offered. */
class RailGroupTest {
  private static final class Member implements RailGroup.Member {
    private boolean open = true;
    private int streams;

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public int streams() {
      return streams;
    }
  }

  private final Member first = new Member();
  private final Member second = new Member();
  private final RailGroup<Member> group = new RailGroup<>(null);

  @Test
  void thePreferredOneThatIsOpen() {
    assertThat(group.choose(false)).isNull();
    group.add(second, 1);
    group.add(first, 0);
    first.streams = 100;
    assertThat(group.choose(false)).isSameAs(first);
    first.open = false;
    assertThat(group.choose(false)).isSameAs(second);
    assertThat(group.remove(first)).isTrue();
    assertThat(group.remove(first)).isFalse();
    second.open = false;
    assertThat(group.choose(false)).isNull();
    assertThat(group.sessions(m -> true)).containsExactly(second);
  }

  @Test
  void orTheOneThatCarriesTheFewest() {
    group.add(first, 0);
    group.add(second, 1);
    assertThat(group.choose(true)).isSameAs(first);
    first.streams = 1;
    assertThat(group.choose(true)).isSameAs(second);
    second.streams = 1;
    assertThat(group.choose(true)).isSameAs(first);
    second.streams = 0;
    second.open = false;
    assertThat(group.choose(true)).isSameAs(first);
  }
}
