package org.slipstream.core.stream;

import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.doorbell.DoorbellSource;
import org.slipstream.core.wait.LoadSensor;
import org.slipstream.core.wait.Spinner;
import org.slipstream.core.wait.WaitClock;

/**
 * What the parts of one stream share: its TCP connection, its life, its link, the error of the
 * connection, and the signals. It decides nothing.
 */
final class StreamContext {
  final SocketChannel tcp;
  final InterruptScope scope;
  final StreamSignals signals;
  final ConnectionError error;
  final NoDelay noDelay;
  final StreamState state = new StreamState();
  final LinkSlot slot = new LinkSlot();

  /** How long the first write waits for the ring, in nanoseconds: only in tests, else 0. */
  final long firstWriteGraceNanos;

  /** By which a full ring is borne. */
  final WaitClock clock;

  /** What a reader may sleep on besides the TCP connection. */
  final DoorbellSource doorbells;

  /** When it was made: before the connection was, at the end that connects. */
  final long madeAt = System.nanoTime();

  /** Set by the reactor; taken by the writer. Null but for a moment in the life of few streams. */
  volatile @Nullable RawWriteProbe rawWriteProbe;

  private final LoadSensor loadSensor;
  private final int maxSpinNanos;

  /**
   * Makes the context of a stream.
   *
   * @param tcp the TCP connection
   * @param scope brackets waits
   * @param loadSensor what is known about the load of the machine
   * @param maxSpinNanos the longest spin
   * @param firstWriteGraceNanos how long the first write waits for the ring
   * @param clock by which the wait for space in a full ring is limited
   * @param doorbells what a reader may sleep on besides the TCP connection
   * @param signals for what the parts report
   */
  StreamContext(
      SocketChannel tcp,
      InterruptScope scope,
      LoadSensor loadSensor,
      int maxSpinNanos,
      long firstWriteGraceNanos,
      WaitClock clock,
      DoorbellSource doorbells,
      StreamSignals signals) {
    this.doorbells = doorbells;
    this.tcp = tcp;
    this.scope = scope;
    this.loadSensor = loadSensor;
    this.maxSpinNanos = maxSpinNanos;
    this.firstWriteGraceNanos = firstWriteGraceNanos;
    this.clock = clock;
    this.signals = signals;
    this.error = new ConnectionError(tcp);
    this.noDelay = new NoDelay(tcp);
  }

  /** The link that the stream has now; null while it has none. */
  @Nullable StreamLink link() {
    return slot.link();
  }

  /** A spinner for one direction. */
  Spinner spinner() {
    return new Spinner(loadSensor, maxSpinNanos);
  }
}
