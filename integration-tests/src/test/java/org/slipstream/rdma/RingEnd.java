package org.slipstream.rdma;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slipstream.core.ring.RingConsumer;
import org.slipstream.core.ring.RingProducer;
import org.slipstream.transport.Link;
import org.slipstream.transport.Window;

/**
 * One end of a link for a benchmark: writes and reads whole messages. While it waits for bytes it
 * polls, or arms and sleeps; its doorbell is a semaphore, where a stream's is a control byte over
 * TCP. One thread at a time.
 */
final class RingEnd {
  /** Polls between two looks at whether the link still lives. */
  private static final int POLLS = 1 << 14;

  private static final long LONGEST_SLEEP_MS = 100;

  private final Link link;
  private final RingConsumer consumer;
  private final RingProducer producer;
  private final int pollsBeforeYield;

  /** Rung by the writer of the peer. */
  private final Semaphore doorbell = new Semaphore(0);

  private RingEnd peer;
  private boolean sleeps;

  /**
   * Makes one, and grants the peer its ring.
   *
   * @param link what it writes
   * @param window what it reads
   * @param pollsBeforeYield how often it polls before it lets another thread run
   */
  RingEnd(Link link, Window window, int pollsBeforeYield) {
    this.link = link;
    this.pollsBeforeYield = pollsBeforeYield;
    consumer = new RingConsumer(link, window);
    producer = new RingProducer(link, consumer);
    consumer.credit().open();
  }

  /** The two ends of one link. */
  static void join(RingEnd a, RingEnd b) {
    a.peer = b;
    b.peer = a;
  }

  /** From now on it arms at once, and sleeps; or polls. Between two turns. */
  void sleeps(boolean asleep) {
    sleeps = asleep;
  }

  /** Writes all of a message; its memory is the caller's again afterwards. */
  void write(ByteBuffer message) throws IOException {
    for (int polls = 0; message.hasRemaining(); polls++) {
      if (producer.write(message, this::signal) == 0) {
        pause(polls);
      }
    }
    producer.giveBack();
  }

  private boolean signal() {
    peer.doorbell.release();
    return true;
  }

  /** Reads until the buffer is full. */
  void read(ByteBuffer message) throws IOException {
    for (int polls = 0; message.hasRemaining(); polls++) {
      if (sleeps) {
        if (consumer.read(message) == 0 && consumer.arm()) {
          sleep();
        }
      } else if (!consumer.peekAvailable() || consumer.read(message) == 0) {
        pause(polls);
      }
    }
  }

  private void sleep() throws IOException {
    try {
      while (!doorbell.tryAcquire(LONGEST_SLEEP_MS, TimeUnit.MILLISECONDS)) {
        requireLink();
      }
      consumer.doorbellHeard();
    } catch (InterruptedException e) {
      throw new IOException("the other end has failed", e);
    }
  }

  private void pause(int polls) throws IOException {
    if (polls % pollsBeforeYield == pollsBeforeYield - 1) {
      Thread.yield();
    } else {
      Thread.onSpinWait();
    }
    if (polls % POLLS == POLLS - 1) {
      requireLink();
    }
  }

  private void requireLink() throws IOException {
    if (link.isBroken()) {
      throw new IOException("the link has failed");
    }
    if (Thread.interrupted()) {
      throw new IOException("the other end has failed");
    }
  }
}
