package org.slipstream.core.stream;

import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Reason;
import org.slipstream.core.doorbell.DoorbellSource;
import org.slipstream.core.wait.LoadSensor;
import org.slipstream.core.wait.WaitClock;

/** What streams need of the process they live in. */
public interface StreamHost {

  /**
   * What is known about the load of the machine.
   *
   * @return shared by all streams
   */
  LoadSensor loadSensor();

  /**
   * The longest spin.
   *
   * @return nanoseconds
   */
  int maxSpinNanos();

  /**
   * How long the first write of a stream waits for the ring, so that short tests reach it.
   *
   * @return nanoseconds; 0 in production
   */
  default long firstWriteGraceNanos() {
    return 0;
  }

  /**
   * The clock by which a full ring is borne.
   *
   * @return the machine's; a test may hold one
   */
  default WaitClock clock() {
    return WaitClock.SYSTEM;
  }

  /**
   * What blocked readers and event loops may sleep on besides their TCP connections.
   *
   * @return the process's
   */
  default DoorbellSource doorbellSource() {
    return DoorbellSource.NONE;
  }

  /**
   * A plain stream has had its first exchange and may be worth an upgrade. Any thread, under the
   * stream's locks: must not block.
   *
   * @param stream not yet joined to its peer
   */
  void eligible(Stream stream);

  /**
   * A stream got a link to its peer. Reactor.
   *
   * @param stream whose directions will switch
   */
  default void joined(Stream stream) {}

  /**
   * It was found why a stream stays plain, or falls back to TCP. Reactor.
   *
   * @param stream on its TCP connection
   * @param why the reason
   */
  default void stayedPlain(Stream stream, Reason why) {}

  /**
   * A reader or writer has slept. By its thread, under its lock: must not block or allocate, unless
   * a loop watches.
   *
   * @param stream which one
   * @param reading whether the reader slept
   * @param nanos how long it waited
   */
  default void waited(Stream stream, boolean reading, long nanos) {}

  /**
   * Many answers of the peer came over one carrier, and its medium has a round trip that is
   * measured. By the reader's thread, under its lock: must not block.
   *
   * @param stream which one; it has a link, or has lost it
   * @param medianNanos how long they took
   * @param onRing over the link; over TCP otherwise
   */
  default void answered(Stream stream, long medianNanos, boolean onRing) {}

  /**
   * A stream was closed; it must leave all tables. Any thread.
   *
   * @param stream the closed one
   */
  void closed(Stream stream);

  /**
   * The program closed a stream whose peer may still send control bytes: keeps the half-closed TCP
   * connection until the peer's end, and then closes it. Any thread.
   *
   * @param tcp in non-blocking mode; belongs to the host from now on
   * @param unsent what has to go out before the TCP connection is half-closed; null if it already
   *     is
   * @param late tells the control bytes from data, which makes the close a reset
   */
  void linger(SocketChannel tcp, @Nullable ByteBuffer unsent, LateControlBytes late);
}
