package org.slipstream.provider.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SelectedKeySetTest {
  private final SelectedKeySet set = new SelectedKeySet();
  private final StubKey one = new StubKey();
  private final StubKey two = new StubKey();

  @Test
  void programsMayNotAdd() {
    assertThatThrownBy(() -> set.add(one)).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> set.addAll(List.of(one)))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(set).isEmpty();
  }

  @Test
  void theSelectorAddsAndEachKeyIsThereOnce() {
    set.put(one);
    set.put(one);
    set.put(two);
    assertThat(set).containsExactlyInAnyOrder(one, two);
    set.remove(one);
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

  @Test
  void anIteratorSeesEachKeyOnceWhateverItRemoves() {
    List<StubKey> keys = Stream.generate(StubKey::new).limit(20).toList();
    keys.forEach(set::put);
    List<SelectionKey> seen = new ArrayList<>();
    for (Iterator<SelectionKey> i = set.iterator(); i.hasNext(); ) {
      SelectionKey key = i.next();
      seen.add(key);
      if (seen.size() % 3 != 0) {
        i.remove();
        assertThatThrownBy(i::remove).isInstanceOf(IllegalStateException.class);
      }
    }
    assertThat(seen).containsExactlyInAnyOrderElementsOf(keys);
    assertThat(set).hasSize(6);
    Iterator<SelectionKey> i = set.iterator();
    i.next();
    set.put(one);
    assertThatThrownBy(i::next).isInstanceOf(ConcurrentModificationException.class);
    set.clear();
    assertThatThrownBy(() -> set.iterator().next()).isInstanceOf(NoSuchElementException.class);
  }

  @Test
  void aKeyOfAnotherSelectorIsNotInTheSet() {
    SelectedKeySet other = new SelectedKeySet();
    set.put(one);
    other.put(two);
    assertThat(set.contains(two)).isFalse();
    assertThat(set.remove(two)).isFalse();
    assertThat(other).containsExactly(two);
  }

  private static final class StubKey extends SelectedKeySet.Member {
    @Override
    public SelectableChannel channel() {
      throw new UnsupportedOperationException();
    }

    @Override
    public Selector selector() {
      throw new UnsupportedOperationException();
    }

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
