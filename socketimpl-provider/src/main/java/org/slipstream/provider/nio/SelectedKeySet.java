package org.slipstream.provider.nio;

import java.nio.channels.SelectionKey;
import java.nio.channels.spi.AbstractSelectionKey;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * The selected-key set: programs may remove, only the selector adds. Guarded by its own monitor.
 *
 * <p>Each key knows its place: three hashes a selection are some percent of a ring's round trip.
 */
final class SelectedKeySet extends AbstractSet<SelectionKey> {
  private static final int NOWHERE = -1;

  /** A key that can be in one such set, its selector's. */
  abstract static class Member extends AbstractSelectionKey {
    /** Guarded by the set's monitor. */
    private int place = NOWHERE;
  }

  private final List<Member> members = new ArrayList<>();

  /** Counts changes, for iterators. */
  private int changes;

  void put(Member key) {
    if (!contains(key)) {
      key.place = members.size();
      members.add(key);
      changes++;
    }
  }

  // Adding is refused by the superclass, whatever the element is: an override here would have the
  // compiler cast the element first, and raw types would get a ClassCastException.

  /** Refused even if there is nothing to add, as in the JDK. */
  @Override
  public boolean addAll(Collection<? extends SelectionKey> keys) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean contains(Object key) {
    return key instanceof Member m
        && m.place >= 0
        && m.place < members.size() // the place may be one in another selector's set
        && members.get(m.place).equals(m);
  }

  @Override
  public boolean remove(Object key) {
    if (!contains(key)) {
      return false;
    }
    Member gone = (Member) key;
    Member last = members.removeLast();
    if (!last.equals(gone)) {
      members.set(gone.place, last);
      last.place = gone.place;
    }
    gone.place = NOWHERE;
    changes++;
    return true;
  }

  @Override
  public void clear() {
    for (int i = 0; i < members.size(); i++) {
      members.get(i).place = NOWHERE;
    }
    members.clear();
    changes++;
  }

  @Override
  public int size() {
    return members.size();
  }

  @Override
  public Iterator<SelectionKey> iterator() {
    return new Places();
  }

  /** From the last place to the first, so that a removal moves only what was seen. */
  private final class Places implements Iterator<SelectionKey> {
    private int next = members.size() - 1;
    private int expected = changes;
    private boolean removable;

    @Override
    public boolean hasNext() {
      return next >= 0;
    }

    @Override
    public SelectionKey next() {
      ensureUnchanged();
      if (next < 0) {
        throw new NoSuchElementException();
      }
      removable = true;
      return members.get(next--);
    }

    @Override
    public void remove() {
      ensureUnchanged();
      if (!removable) {
        throw new IllegalStateException();
      }
      removable = false;
      SelectedKeySet.this.remove(members.get(next + 1));
      expected = changes;
    }

    private void ensureUnchanged() {
      if (changes != expected) {
        throw new ConcurrentModificationException();
      }
    }
  }
}
