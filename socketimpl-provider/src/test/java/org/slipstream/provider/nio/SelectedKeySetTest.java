package org.slipstream.provider.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class SelectedKeySetTest {
  private final SelectedKeySet set = new SelectedKeySet();
  private final SelectionKey one = new StubKey();
  private final SelectionKey two = new StubKey();

  @Test
  void programsMayNotAdd() {
    assertThatThrownBy(() -> set.add(one)).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> set.addAll(List.of(one)))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(set).isEmpty();
  }

  @Test
  void theSelectorAddsAndDropsAndEachKeyIsThereOnce() {
    set.put(one);
    set.put(one);
    set.put(two);
    assertThat(set).containsExactlyInAnyOrder(one, two);
    set.drop(one);
    assertThat(set).containsExactly(two);
    assertThat(set.contains(one)).isFalse();
  }

  @Test
  void programsMayRemoveInEveryWay() {
    set.put(one);
    assertThat(set.remove(one)).isTrue();
    assertThat(set.remove(one)).isFalse();
    set.put(one);
    Iterator<SelectionKey> i = set.iterator();
    assertThat(i.next()).isSameAs(one);
    i.remove();
    assertThat(set).isEmpty();
    set.put(one);
    set.put(two);
    assertThat(set.removeIf(k -> k.equals(one))).isTrue();
    assertThat(set.retainAll(List.of())).isTrue();
    set.put(one);
    set.clear();
    assertThat(set).isEmpty();
  }

  private static final class StubKey extends SelectionKey {
    @Override
    public SelectableChannel channel() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Selector selector() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isValid() {
      return true;
    }

    @Override
    public void cancel() {}

    @Override
    public int interestOps() {
      return 0;
    }

    @Override
    public SelectionKey interestOps(int ops) {
      return this;
    }

    @Override
    public int readyOps() {
      return 0;
    }
  }
}
