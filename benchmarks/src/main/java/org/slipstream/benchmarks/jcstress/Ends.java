package org.slipstream.benchmarks.jcstress;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slipstream.core.ring.Doorbell;
import org.slipstream.core.ring.RingConsumer;
import org.slipstream.core.ring.RingProducer;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.transport.Link;
import org.slipstream.transport.Window;

/**
 * The two ends of one link: A writes, B reads, and B may answer.
 *
 * @param aOut A's sending half
 * @param aIn A's receiving half
 * @param bOut B's sending half
 * @param bIn B's receiving half
 */
record Ends(RingProducer aOut, RingConsumer aIn, RingProducer bOut, RingConsumer bIn) {
  /** Small, so that full rings and wrap-around are cheap. */
  static final int RING_BYTES = 256;

  private static final LinkPool POOL = new LinkPool(RING_BYTES);
  private static final Doorbell NO_DOORBELL = () -> true;

  static HeapLink.Pair link() {
    return POOL.pair();
  }

  static Ends open() {
    HeapLink.Pair pair = link();
    return over(pair.a(), pair.a().window(), pair.b(), pair.b().window());
  }

  private static Ends over(Link a, Window aWindow, Link b, Window bWindow) {
    RingConsumer aIn = new RingConsumer(a, aWindow);
    RingConsumer bIn = new RingConsumer(b, bWindow);
    aIn.credit().open();
    bIn.credit().open();
    return new Ends(new RingProducer(a, aIn), aIn, new RingProducer(b, bIn), bIn);
  }

  /** As {@link #open}, and A's next small message travels in the mailbox. */
  static Ends conversing() {
    return conversing(open());
  }

  /** As {@link #conversing}, and what A sends arrives in pieces. */
  static Ends torn() {
    HeapLink.Pair pair = link();
    HeapLink.Pair memory = link();
    TornLink a = new TornLink(pair.a(), memory.a().receiveControl());
    TornLink b = new TornLink(pair.b(), memory.b().receiveControl());
    return conversing(over(a, a.window(), b, b.window()));
  }

  private static Ends conversing(Ends ends) {
    send(ends.bOut, new byte[1]);
    receive(ends.aIn, new byte[1]);
    return ends;
  }

  static int send(RingProducer out, byte[] bytes) {
    return send(out, bytes, NO_DOORBELL);
  }

  static int send(RingProducer out, byte[] bytes, Doorbell doorbell) {
    try {
      return out.write(ByteBuffer.wrap(bytes), doorbell);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  static int receive(RingConsumer in, byte[] bytes) {
    try {
      return in.read(ByteBuffer.wrap(bytes));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  static boolean arm(RingConsumer in) {
    try {
      return in.arm();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  static int space(RingProducer out) {
    try {
      return out.credit().space(1);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
