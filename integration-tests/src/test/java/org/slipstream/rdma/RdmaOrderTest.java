package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.core.ring.RingConsumer;
import org.slipstream.core.ring.RingProducer;
import org.slipstream.transport.MemoryBudget;

/**
 * Two streams of bytes over a fabric that places writes in another order than they were posted in:
 * which no device in software does, so this is one. Both ends are driven by one thread, in turns
 * that are drawn.
 */
class RdmaOrderTest {
  private static final int RING = 16 * 1024;
  private static final int DEPTH = 64;
  private static final int SEEDS = 40;
  private static final int TURNS = 3_000;

  /** One end: what it sends, and what it has read. */
  private static final class End {
    final UnorderedDevice device;
    final SendQueue queue;
    final RdmaWindow window;
    final int mark;
    RdmaLink link;
    RingConsumer consumer;
    RingProducer producer;
    End peer;
    long sent;
    long read;

    /** It has armed, found nothing and waits for a doorbell. */
    boolean asleep;

    boolean doorbell;
    int sleeps;

    End(Arena arena, SplittableRandom random, RdmaOrder order, boolean unordered, int mark)
        throws IOException {
      this.mark = mark;
      device = new UnorderedDevice(DEPTH, 256, random, unordered);
      queue =
          new SendQueue(
              device,
              device,
              arena.allocate(SendQueue.scratchBytes(DEPTH, 256)),
              UnorderedDevice.memory(),
              256,
              false,
              cause -> {
                throw new AssertionError(cause);
              },
              () -> {});
      Slab windows = slab();
      window = new RdmaWindow(() -> true, windows, windows.take(), order);
    }

    private static Slab slab() throws IOException {
      return new Slab(1, RING, memory -> UnorderedDevice.memory(), new MemoryBudget(1 << 24));
    }

    void join(End other) throws IOException {
      peer = other;
      ByteBuffer descriptor = ByteBuffer.allocate(WindowDescriptor.BYTES);
      other.window.descriptor(descriptor);
      Slab staging = slab();
      PinDownCache pins =
          new PinDownCache(
              queue.lock,
              memory -> UnorderedDevice.memory(),
              task -> {},
              queue::isDone,
              1 << 20,
              1);
      WindowDescriptor there = WindowDescriptor.read(descriptor.flip());
      link = new RdmaLink(queue, pins, window, there, staging, staging.take());
      consumer = new RingConsumer(link, window);
      producer = new RingProducer(link, consumer);
    }

    private byte pattern(long at) {
      return (byte) (at * 31 + (at >> 8) + mark);
    }

    void write(int length) throws IOException {
      ByteBuffer message = ByteBuffer.allocate(length);
      for (int i = 0; i < length; i++) {
        message.put(pattern(sent + i));
      }
      sent += producer.write(message.flip(), peer::signal);
    }

    private boolean signal() {
      doorbell = true;
      hear();
      return true;
    }

    /** A doorbell that was rung before the reader sleeps waits for it, on the TCP connection. */
    private void hear() {
      if (asleep && doorbell) {
        asleep = false;
        doorbell = false;
        consumer.doorbellHeard();
      }
    }

    void read() throws IOException {
      ByteBuffer message = ByteBuffer.allocate(4096);
      consumer.read(message);
      message.flip();
      while (message.hasRemaining()) {
        byte found = message.get();
        if (found != peer.pattern(read)) { // AssertJ would take most of the test's time
          throw new AssertionError(
              "[byte " + read + "] is " + found + " and should be " + peer.pattern(read));
        }
        read++;
      }
    }

    void sleep() throws IOException {
      if (!asleep && !consumer.available() && consumer.arm()) {
        asleep = true;
        sleeps++;
        hear();
      }
    }

    /** What the event thread does. */
    void events() {
      if (device.takeEvent()) {
        queue.lock.lock();
        try {
          queue.completed();
        } finally {
          queue.lock.unlock();
        }
      }
    }
  }

  /** Returns how often an end has slept. */
  private static int converse(long seed, RdmaOrder first, RdmaOrder second, boolean unordered)
      throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    try (Arena arena = Arena.ofShared()) {
      End a = new End(arena, random, first, unordered, 0);
      End b = new End(arena, random, second, unordered, 77);
      a.join(b);
      b.join(a);
      for (End end : List.of(a, b)) {
        end.consumer.credit().open();
      }
      settle(a, b);
      for (int turn = 0; turn < TURNS; turn++) {
        End end = random.nextBoolean() ? a : b;
        switch (random.nextInt(8)) {
          case 0 -> end.write(1 + random.nextInt(88));
          case 1 -> end.write(1 + random.nextInt(6_000));
          case 2, 3 -> {
            if (!end.asleep) {
              end.read();
            }
          }
          case 4 -> end.events();
          default -> end.device.step();
        }
        if (random.nextInt(64) == 0) {
          settle(a, b);
          end.sleep();
        }
      }
      for (int turn = 0; a.read < b.sent || b.read < a.sent; turn++) {
        assertThat(turn)
            .as("turns without an end: a reader sleeps, or waits for ever")
            .isLessThan(TURNS);
        settle(a, b);
        for (End end : List.of(a, b)) {
          if (!end.asleep) {
            end.read();
          }
        }
      }
      return a.sleeps + b.sleeps;
    }
  }

  /** Everything under way arrives, and what waited for that goes out and arrives too. */
  private static void settle(End a, End b) {
    for (int i = 0; i < 4 * DEPTH; i++) {
      a.device.step();
      b.device.step();
      a.events();
      b.events();
    }
  }

  /** This is what the setting is for, and that the fabric of these tests is one. */
  @Test
  void aFabricThatKeepsNoOrderMustNotBeTrusted() {
    boolean handedOut = false;
    for (long seed = 0; seed < SEEDS && !handedOut; seed++) {
      try {
        converse(seed, RdmaOrder.TRUSTED, RdmaOrder.TRUSTED, true);
      } catch (IOException | AssertionError e) {
        handedOut = String.valueOf(e.getMessage()).contains("[byte ");
      }
    }
    assertThat(handedOut).as("a byte that was not sent").isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = RdmaOrder.class,
      names = {"CHECKSUMMED", "COMPLETED"})
  void otherwiseEveryByteIsTheOneThatWasSent(RdmaOrder order) throws Exception {
    int sleeps = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      sleeps += converse(seed, order, order, true);
    }
    assertThat(sleeps).as("readers that slept, and were woken").isPositive();
  }

  @ParameterizedTest
  @EnumSource(RdmaOrder.class)
  void onAFabricThatKeepsTheOrderAllOfThemWork(RdmaOrder order) throws Exception {
    for (long seed = 0; seed < SEEDS; seed++) {
      converse(seed, order, order, false);
    }
  }

  /** One process may have a device in software, or another setting. */
  @ParameterizedTest
  @EnumSource(RdmaOrder.class)
  void theStricterOfTwoEndsDecides(RdmaOrder order) throws Exception {
    for (long seed = 0; seed < SEEDS; seed++) {
      converse(seed, RdmaOrder.COMPLETED, order, true);
      converse(seed, order, RdmaOrder.COMPLETED, true);
    }
  }
}
