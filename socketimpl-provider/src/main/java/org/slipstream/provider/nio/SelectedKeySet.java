package org.slipstream.provider.nio;

import java.nio.channels.SelectionKey;
import java.util.AbstractSet;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;

/**
 * The selected-key set: programs may remove, only the selector adds. Guarded by its own monitor.
 */
final class SelectedKeySet extends AbstractSet<SelectionKey> {
  private final Set<SelectionKey> keys = new HashSet<>();

  void put(SelectionKey key) {
    keys.add(key);
  }

  void drop(SelectionKey key) {
    keys.remove(key);
  }

  @Override
  public boolean add(SelectionKey key) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean contains(Object key) {
    return keys.contains(key);
  }

  @Override
  public boolean remove(Object key) {
    return keys.remove(key);
  }

  @Override
  public void clear() {
    keys.clear();
  }

  @Override
  public Iterator<SelectionKey> iterator() {
    return keys.iterator();
  }

  @Override
  public int size() {
    return keys.size();
  }
}
