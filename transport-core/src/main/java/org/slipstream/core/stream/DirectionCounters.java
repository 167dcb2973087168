package org.slipstream.core.stream;

import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Flow;
import org.slipstream.core.wait.Spinner;

/**
 * What one direction of a stream has moved and how it waited. Plain fields, so that counting costs
 * next to nothing: written under the direction's lock (looks of a selector: by its thread), read
 * racily. Bytes are not counted here: positions of rings and of the TCP connection say how many
 * there were.
 */
final class DirectionCounters {
  /** Calls that moved bytes, in the ring or over TCP. */
  long messages;

  /** Selections that found the stream ready by a look at its ring. */
  long looks;

  /** Sleeps that the peer ended: by a doorbell, or by credit. */
  long wakeUps;

  /** What has last woken the reader. */
  LastDoorbell lastDoorbell = LastDoorbell.TCP;

  Flow flow(
      boolean onRing, long plainBytes, Spinner spinner, @Nullable StreamLink link, boolean in) {
    long ringBytes = 0;
    long ringUsed = 0;
    long ringSize = 0;
    if (link != null) {
      ringBytes = in ? link.bytesIn() : link.bytesOut();
      ringUsed = in ? link.unreadHere() : link.unreadThere();
      ringSize = in ? link.consumer().size() : link.producer().credit().size();
    }
    return new Flow(
        onRing,
        ringBytes,
        plainBytes,
        messages,
        ringUsed,
        ringSize,
        spinner.spins() + looks,
        spinner.misses(),
        wakeUps);
  }

  /** Some bytes went through the ring, or none. */
  void countRing(long bytes) {
    messages += bytes > 0 ? 1 : 0;
  }

  /** Some raw bytes went over TCP, or none. */
  void raw(StreamSignals signals, long bytes) {
    if (bytes > 0) {
      messages++;
      signals.countRaw();
    }
  }
}
