package org.slipstream.core.ring;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.transport.ControlLayout;

/** One end of a link with both of its rings and a counter of the doorbells that it rang. */
public final class RingEnd {
  private final HeapLink link;
  private final RingConsumer consumer;
  private final RingProducer producer;
  private volatile int doorbells;

  public RingEnd(HeapLink link) {
    this.link = link;
    this.consumer = new RingConsumer(link, link.window());
    this.producer = new RingProducer(link, consumer);
  }

  /** Both ends, open. */
  record Two(RingEnd a, RingEnd b) {}

  static Two two(int ringBytes, int committed) {
    HeapLink.Pair links = HeapLink.pair(ringBytes, committed);
    Two two = new Two(new RingEnd(links.a()), new RingEnd(links.b()));
    two.a.consumer.credit().open();
    two.b.consumer.credit().open();
    return two;
  }

  public HeapLink link() {
    return link;
  }

  public RingConsumer consumer() {
    return consumer;
  }

  public RingProducer producer() {
    return producer;
  }

  public int doorbells() {
    return doorbells;
  }

  int write(byte... bytes) throws IOException {
    return producer.write(ByteBuffer.wrap(bytes), this::signal);
  }

  int write(ByteBuffer src) throws IOException {
    return producer.write(src, this::signal);
  }

  long write(ByteBuffer[] srcs) throws IOException {
    return producer.write(srcs, 0, srcs.length, this::signal);
  }

  private boolean signal() {
    doorbells++;
    return true;
  }

  byte[] read(int room) throws IOException {
    ByteBuffer dst = ByteBuffer.allocate(room);
    int n = consumer.read(dst);
    byte[] bytes = new byte[n];
    dst.flip().get(bytes);
    return bytes;
  }

  long word(int offset) {
    return ControlLayout.getLongPlain(link.receiveControl(), offset);
  }

  int intWord(int offset) {
    return ControlLayout.getIntAcquire(link.receiveControl(), offset);
  }

  /** Plays a peer that writes what it likes into this end's window. */
  void peerSays(int offset, long value) {
    ControlLayout.putLongRelease(link.receiveControl(), offset, value);
  }

  void peerSaysInt(int offset, int value) {
    ControlLayout.putIntRelease(link.receiveControl(), offset, value);
  }
}
