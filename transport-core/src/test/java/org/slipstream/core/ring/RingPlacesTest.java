package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Where positions lie, and that both ends agree on it whatever each of them has seen. */
class RingPlacesTest {

  @Test
  void whatFollowsAWideningLiesBehindTheOldExtent() {
    RingPlaces places = new RingPlaces(4);
    places.widen(6, 16);
    assertThat(LongStream.range(0, 20).mapToInt(places::offset).boxed())
        .isEqualTo(List.of(0, 1, 2, 3, 0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1));
    assertThat(places.limit(2)).as("6 and 7 would lie where 2 and 3 do, unread").isEqualTo(18);
    assertThat(places.limit(5)).isEqualTo(18);
    assertThat(places.limit(6)).isEqualTo(22);
    assertThat(places.isSettled(6)).as("the reader may not know of it yet").isFalse();
    assertThat(places.isSettled(7)).isTrue();
  }

  @Test
  void runsEndWhereTheOffsetJumps() {
    RingPlaces places = new RingPlaces(4);
    places.widen(6, 16);
    for (long position = 0; position < 60; position++) {
      int run = places.run(position);
      for (int i = 0; i < run; i++) {
        assertThat(places.offset(position + i)).isEqualTo(places.offset(position) + i);
      }
      assertThat(places.offset(position + run)).isNotEqualTo(places.offset(position) + run);
    }
  }

  @Test
  void aRingThatNeverGrowsLiesAsItAlwaysDid() {
    RingPlaces places = new RingPlaces(64);
    for (long position = 0; position < 300; position++) {
      assertThat(places.offset(position)).isEqualTo((int) position & 63);
      assertThat(places.limit(position)).isEqualTo(position + 64);
      assertThat(places.isSettled(position)).isTrue();
    }
  }

  // -- both ends, in every order of their steps ------------------------------------------------

  private static final int END = 9;
  private static final int STORAGE = 8;

  /**
   * What the writer knows.
   *
   * @param position where it writes next
   * @param acknowledged the newest credit that it has seen
   * @param storage the newest committed size that it has seen
   */
  private record Writer(int position, int acknowledged, int storage) {}

  /**
   * What the reader knows.
   *
   * @param position what it has taken out
   * @param seen the newest position that it has seen
   * @param followed how many widenings it has seen
   */
  private record Reader(int position, int seen, int followed) {}

  /**
   * The words between them.
   *
   * @param position of the writer
   * @param widened where it widened, and to what: {@code position << 8 | bytes}, newest last
   * @param credit of the reader
   * @param committed by it
   */
  private record Words(int position, List<Integer> widened, int credit, int committed) {}

  /**
   * The writer publishes what it has written when it likes, the reader takes, gives credit and
   * commits when it likes, and each sees the other's words when it looks.
   *
   * @param ring for each offset the position whose byte lies there
   */
  private record State(Writer writer, Reader reader, Words words, List<Integer> ring) {

    RingPlaces places(int widenings) {
      RingPlaces places = new RingPlaces(1);
      for (int i = 0; i < widenings; i++) {
        places.widen(words.widened.get(i) >> 8, words.widened.get(i) & 255);
      }
      return places;
    }

    State with(Writer other) {
      return new State(other, reader, words, ring);
    }

    State with(Reader other) {
      return new State(writer, other, words, ring);
    }

    State with(Words other) {
      return new State(writer, reader, other, ring);
    }
  }

  @Test
  void noByteIsOverwrittenBeforeItIsReadAndEachIsFound() {
    State first =
        new State(
            new Writer(0, 0, 1),
            new Reader(0, 0, 0),
            new Words(0, List.of(), 0, 1),
            Collections.nCopies(STORAGE, -1));
    Set<State> known = new HashSet<>(Set.of(first));
    Deque<State> open = new ArrayDeque<>(known);
    int finished = 0;
    int mostWidenings = 0;
    while (!open.isEmpty()) {
      State s = open.pop();
      List<State> next = new ArrayList<>();
      writer(s, s.writer, s.words, next);
      reader(s, s.reader, s.words, next);
      if (s.reader.position == END) {
        finished++;
        mostWidenings = Math.max(mostWidenings, s.words.widened.size());
      } else {
        assertThat(next).as("neither end can go on: %s", s).isNotEmpty();
      }
      for (State n : next) {
        if (known.add(n)) {
          open.push(n);
        }
      }
    }
    assertThat(finished).isPositive();
    assertThat(mostWidenings).isEqualTo(3);
  }

  private static void writer(State s, Writer w, Words words, List<State> next) {
    RingPlaces places = s.places(words.widened.size());
    if (w.acknowledged != words.credit || w.storage != words.committed) {
      next.add(s.with(new Writer(w.position, words.credit, words.committed)));
    }
    if (w.storage > places.extent() && places.isSettled(w.acknowledged)) {
      List<Integer> widened = new ArrayList<>(words.widened);
      widened.add(w.position << 8 | w.storage);
      next.add(
          s.with(new Words(words.position, List.copyOf(widened), words.credit, words.committed)));
    }
    if (w.position < END && w.position < places.limit(w.acknowledged)) {
      int offset = places.offset(w.position);
      assertThat(offset).isLessThan(w.storage);
      assertThat(s.ring.get(offset)).as("unread in %s", s).isLessThan(s.reader.position);
      List<Integer> ring = new ArrayList<>(s.ring);
      ring.set(offset, w.position);
      Writer written = new Writer(w.position + 1, w.acknowledged, w.storage);
      next.add(new State(written, s.reader, words, List.copyOf(ring)));
    }
    if (words.position < w.position) {
      next.add(s.with(new Words(w.position, words.widened, words.credit, words.committed)));
    }
  }

  private static void reader(State s, Reader r, Words words, List<State> next) {
    if (r.seen != words.position) {
      next.add(s.with(new Reader(r.position, words.position, r.followed)));
    }
    if (r.position < r.seen) {
      // It looks at the word before it takes a byte, and sees the newest one only.
      int followed = words.widened.size();
      assertThat(followed - r.followed).as("one that it never saw: %s", s).isLessThanOrEqualTo(1);
      int offset = s.places(followed).offset(r.position);
      assertThat(s.ring.get(offset)).as("%s", s).isEqualTo(r.position);
      next.add(s.with(new Reader(r.position + 1, r.seen, followed)));
    }
    if (words.credit != r.position) {
      next.add(s.with(new Words(words.position, words.widened, r.position, words.committed)));
    }
    if (r.position > 0 && words.committed < STORAGE) {
      next.add(s.with(new Words(words.position, words.widened, words.credit, 2 * words.committed)));
    }
  }
}
