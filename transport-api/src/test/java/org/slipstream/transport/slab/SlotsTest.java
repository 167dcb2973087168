package org.slipstream.transport.slab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.MemoryBudget;

class SlotsTest {
  private final AtomicInteger givenBack = new AtomicInteger();
  private final Slots slots = new Slots(3, givenBack::incrementAndGet);

  @Test
  void theLowestFreeSlotIsTakenFirst() {
    assertThat(slots.take()).isEqualTo(0);
    assertThat(slots.take()).isEqualTo(1);
    assertThat(slots.take()).isEqualTo(2);
    assertThat(slots.take()).isEqualTo(-1);
    slots.giveBack(2, true);
    slots.giveBack(0, true);
    assertThat(slots.free().toString()).isEqualTo("{0, 2}");
    assertThat(slots.take()).isEqualTo(0);
    assertThat(slots.take()).isEqualTo(2);
    assertThat(slots.inUse()).isEqualTo(3);
  }

  @Test
  void aSlotThatAPeerMayStillWriteToIsNotHandedOutBeforeItIsSaidToBeDone() {
    slots.giveBack(slots.take(), false);
    assertThat(slots.inUse()).isZero();
    assertThat(slots.take()).isEqualTo(1);
    slots.reuse(0);
    assertThat(slots.take()).isEqualTo(0);
  }

  @Test
  void theMemoryGoesWithTheLastUserOnceTheSessionHasEnded() {
    int a = slots.take();
    int b = slots.take();
    slots.giveBack(a, true);
    slots.end();
    assertThat(slots.take()).as("of a session that has ended").isEqualTo(-1);
    assertThat(givenBack).hasValue(0);
    slots.giveBack(b, false);
    assertThat(givenBack).hasValue(1);
    slots.end();
    assertThat(givenBack).hasValue(1);
  }

  @Test
  void withoutUsersTheMemoryGoesWithTheSession() {
    slots.giveBack(slots.take(), true);
    assertThat(givenBack).as("while the session lives").hasValue(0);
    slots.end();
    slots.end();
    assertThat(givenBack).hasValue(1);
  }

  @Test
  void aSlabThatThePeerCanNotMapIsUselessWhenItsLastWindowIsBack() {
    int slot = slots.take();
    slots.withdraw();
    assertThat(slots.take()).isEqualTo(-1);
    assertThat(slots.areUseless()).isFalse();
    slots.giveBack(slot, true);
    assertThat(slots.areUseless()).isTrue();
  }

  @Test
  void whatIsReservedIsGivenBackOnce() throws IOException {
    MemoryBudget budget = new MemoryBudget(100);
    Reservation reservation = new Reservation(budget);
    reservation.add(60);
    assertThatThrownBy(() -> reservation.add(50))
        .isInstanceOf(IOException.class)
        .hasMessage("slipstream.memory.limit is reached");
    reservation.remove(20);
    assertThat(budget.usedBytes()).isEqualTo(40);
    reservation.release();
    reservation.release();
    assertThat(budget.usedBytes()).isZero();
  }
}
