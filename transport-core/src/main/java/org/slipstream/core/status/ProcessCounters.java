package org.slipstream.core.status;

import java.util.Collection;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamStatus;

/**
 * What all streams of a process have done since it began, closed ones included. A snapshot, not
 * exact while bytes move.
 *
 * @param streamsOpened connected or accepted
 * @param streamsOpen of these, not yet closed
 * @param streamsOnLink open ones that travel on a link both ways
 * @param streamsJoined how often a stream got a link
 * @param ringBytesOut sent through rings
 * @param ringBytesIn received through rings
 * @param plainBytesOut sent on anchors
 * @param plainBytesIn received on anchors
 * @param messagesOut writes that moved bytes
 * @param messagesIn reads that moved bytes
 * @param spins waits that ended while looking
 * @param wakeUps waits that ended a sleep
 * @param failovers links that were lost while their stream lived
 * @param offersRefused offers that a peer refused
 * @param slowWaits sleeps of {@link StreamJournal#SLOW_NS} or more
 */
public record ProcessCounters(
    long streamsOpened,
    long streamsOpen,
    long streamsOnLink,
    long streamsJoined,
    long ringBytesOut,
    long ringBytesIn,
    long plainBytesOut,
    long plainBytesIn,
    long messagesOut,
    long messagesIn,
    long spins,
    long wakeUps,
    long failovers,
    long offersRefused,
    long slowWaits) {

  /** Sums of directions; guarded by its owner. */
  static final class Sum {
    private long open;
    private long onLink;
    private long ringOut;
    private long ringIn;
    private long plainOut;
    private long plainIn;
    private long messagesOut;
    private long messagesIn;
    private long spins;
    private long wakeUps;

    void addClosed(StreamStatus s) {
      ringOut += s.ringBytesOut();
      ringIn += s.ringBytesIn();
      plainOut += s.plainBytesOut();
      plainIn += s.plainBytesIn();
      messagesOut += s.out().messages();
      messagesIn += s.in().messages();
      spins += s.out().spins() + s.in().spins();
      wakeUps += s.out().wakeUps() + s.in().wakeUps();
    }

    private void addOpen(StreamStatus s) {
      addClosed(s);
      open++;
      onLink += s.isAccelerated() ? 1 : 0;
    }

    Sum with(Collection<Stream> streams) {
      Sum sum = new Sum();
      sum.ringOut = ringOut;
      sum.ringIn = ringIn;
      sum.plainOut = plainOut;
      sum.plainIn = plainIn;
      sum.messagesOut = messagesOut;
      sum.messagesIn = messagesIn;
      sum.spins = spins;
      sum.wakeUps = wakeUps;
      for (Stream stream : streams) {
        sum.addOpen(stream.status());
      }
      return sum;
    }

    ProcessCounters counters(
        long opened, long joined, long failovers, long offersRefused, long slowWaits) {
      return new ProcessCounters(
          opened,
          open,
          onLink,
          joined,
          ringOut,
          ringIn,
          plainOut,
          plainIn,
          messagesOut,
          messagesIn,
          spins,
          wakeUps,
          failovers,
          offersRefused,
          slowWaits);
    }
  }
}
