package org.slipstream.core.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
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
   * All that both ends know. The writer publishes what it has written when it likes, the reader
   * takes, gives credit and commits when it likes, and each sees the other's words when it looks.
   *
   * @param written the writer's position
   * @param widened where it widened, and to what: {@code position << 8 | bytes}, newest last
   * @param acknowledged the newest credit that it has seen
   * @param storage the newest committed size that it has seen
   * @param published the word
   * @param seen the newest position that the reader has seen
   * @param followed how many widenings it has seen
   * @param consumed its position
   * @param credit the word
   * @param committed the word
   * @param ring for each offset the position whose byte lies there
   */
  private record State(
      int written,
      List<Integer> widened,
      int acknowledged,
      int storage,
      int published,
      int seen,
      int followed,
      int consumed,
      int credit,
      int committed,
      List<Integer> ring) {

    RingPlaces places(int widenings) {
      RingPlaces places = new RingPlaces(1);
      for (int i = 0; i < widenings; i++) {
        places.widen(widened.get(i) >> 8, widened.get(i) & 255);
      }
      return places;
    }
  }

  @Test
  void noByteIsOverwrittenBeforeItIsReadAndEachIsFound() {
    State first =
        new State(0, List.of(), 0, 1, 0, 0, 0, 0, 0, 1, List.of(-1, -1, -1, -1, -1, -1, -1, -1));
    Set<State> known = new HashSet<>(Set.of(first));
    Deque<State> open = new ArrayDeque<>(known);
    int finished = 0;
    int mostWidenings = 0;
    while (!open.isEmpty()) {
      State s = open.pop();
      List<State> next = new ArrayList<>();
      writer(s, next);
      reader(s, next);
      if (s.consumed == END) {
        finished++;
        mostWidenings = Math.max(mostWidenings, s.widened.size());
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

  private static void writer(State s, List<State> next) {
    RingPlaces places = s.places(s.widened.size());
    if (s.acknowledged != s.credit || s.storage != s.committed) {
      next.add(
          new State(
              s.written,
              s.widened,
              s.credit,
              s.committed,
              s.published,
              s.seen,
              s.followed,
              s.consumed,
              s.credit,
              s.committed,
              s.ring));
    }
    if (s.storage > places.extent() && places.isSettled(s.acknowledged)) {
      List<Integer> widened = new ArrayList<>(s.widened);
      widened.add(s.written << 8 | s.storage);
      next.add(
          new State(
              s.written,
              List.copyOf(widened),
              s.acknowledged,
              s.storage,
              s.published,
              s.seen,
              s.followed,
              s.consumed,
              s.credit,
              s.committed,
              s.ring));
    }
    if (s.written < END && s.written < places.limit(s.acknowledged)) {
      int offset = places.offset(s.written);
      assertThat(offset).isLessThan(s.storage);
      assertThat(s.ring.get(offset)).as("unread in %s", s).isLessThan(s.consumed);
      List<Integer> ring = new ArrayList<>(s.ring);
      ring.set(offset, s.written);
      next.add(
          new State(
              s.written + 1,
              s.widened,
              s.acknowledged,
              s.storage,
              s.published,
              s.seen,
              s.followed,
              s.consumed,
              s.credit,
              s.committed,
              List.copyOf(ring)));
    }
    if (s.published < s.written) {
      next.add(
          new State(
              s.written,
              s.widened,
              s.acknowledged,
              s.storage,
              s.written,
              s.seen,
              s.followed,
              s.consumed,
              s.credit,
              s.committed,
              s.ring));
    }
  }

  private static void reader(State s, List<State> next) {
    if (s.seen != s.published) {
      next.add(
          new State(
              s.written,
              s.widened,
              s.acknowledged,
              s.storage,
              s.published,
              s.published,
              s.followed,
              s.consumed,
              s.credit,
              s.committed,
              s.ring));
    }
    if (s.consumed < s.seen) {
      // It looks at the word before it takes a byte, and sees the newest one only.
      int followed = s.widened.size();
      assertThat(followed - s.followed).as("one that it never saw: %s", s).isLessThanOrEqualTo(1);
      assertThat(s.ring.get(s.places(followed).offset(s.consumed)))
          .as("%s", s)
          .isEqualTo(s.consumed);
      next.add(
          new State(
              s.written,
              s.widened,
              s.acknowledged,
              s.storage,
              s.published,
              s.seen,
              followed,
              s.consumed + 1,
              s.credit,
              s.committed,
              s.ring));
    }
    if (s.credit != s.consumed) {
      next.add(
          new State(
              s.written,
              s.widened,
              s.acknowledged,
              s.storage,
              s.published,
              s.seen,
              s.followed,
              s.consumed,
              s.consumed,
              s.committed,
              s.ring));
    }
    if (s.consumed > 0 && s.committed < STORAGE) {
      next.add(
          new State(
              s.written,
              s.widened,
              s.acknowledged,
              s.storage,
              s.published,
              s.seen,
              s.followed,
              s.consumed,
              s.credit,
              2 * s.committed,
              s.ring));
    }
  }
}
