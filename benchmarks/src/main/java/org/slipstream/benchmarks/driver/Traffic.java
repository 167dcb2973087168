package org.slipstream.benchmarks.driver;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.core.status.StreamRow;

/**
 * What the streams of one process have moved.
 *
 * @param rings streams that are on a ring both ways
 * @param ringOut bytes written over rings
 * @param ringIn bytes read over rings
 * @param plainOut bytes written over TCP
 * @param plainIn bytes read over TCP
 * @param messages calls that moved bytes, as the process counts them
 * @param reasons why streams are not on a ring
 */
record Traffic(
    long rings,
    long ringOut,
    long ringIn,
    long plainOut,
    long plainIn,
    long messages,
    Set<String> reasons) {
  static final Traffic NONE = new Traffic(0, 0, 0, 0, 0, 0, Set.of());

  /** Reads what {@code slipstream ps --json} printed. */
  static Map<Long, Traffic> byProcess(String answer) {
    if (!answer.startsWith("{\"processes\":[")) {
      throw new IllegalArgumentException("\"processes\" is missing");
    }
    Map<Long, Traffic> traffic = new HashMap<>();
    for (ProcessStatus process : ProcessStatus.parseAll(answer)) {
      Traffic sum = NONE;
      for (StreamRow stream : process.streams()) {
        sum = sum.plus(stream);
      }
      traffic.put(process.number("pid"), sum);
    }
    return traffic;
  }

  private Traffic plus(StreamRow stream) {
    boolean ring =
        !stream.text("carrier").equals("tcp")
            && stream.text("out").equals("ring")
            && stream.text("in").equals("ring");
    Set<String> allReasons = new TreeSet<>(reasons);
    if (!ring && !stream.text("reason").isEmpty()) {
      allReasons.add(stream.text("reason"));
    }
    return new Traffic(
        rings + (ring ? 1 : 0),
        ringOut + stream.number("ringBytesOut"),
        ringIn + stream.number("ringBytesIn"),
        plainOut + stream.number("plainBytesOut"),
        plainIn + stream.number("plainBytesIn"),
        messages + stream.sum("messages"),
        allReasons);
  }

  /** Returns what has been moved since that earlier look. */
  Traffic since(Traffic earlier) {
    return new Traffic(
        rings,
        ringOut - earlier.ringOut,
        ringIn - earlier.ringIn,
        plainOut - earlier.plainOut,
        plainIn - earlier.plainIn,
        messages - earlier.messages,
        reasons);
  }

  /** Returns the reasons as the end of a sentence. */
  String why() {
    return reasons.isEmpty() ? "no reason was given" : String.join("; ", reasons);
  }
}
