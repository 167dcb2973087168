package org.slipstream.benchmarks.driver;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

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

  /** Reads the answer of {@code slipstream ps --json}. */
  static Map<Long, Traffic> byProcess(Object answer) {
    Map<Long, Traffic> traffic = new HashMap<>();
    for (Object process : list(object(answer), "processes")) {
      Traffic sum = NONE;
      for (Object stream : list(object(process), "streams")) {
        sum = sum.plus(object(stream));
      }
      traffic.put(number(object(process), "pid"), sum);
    }
    return traffic;
  }

  private Traffic plus(Map<?, ?> stream) {
    boolean ring =
        !"tcp".equals(stream.get("carrier"))
            && "ring".equals(stream.get("out"))
            && "ring".equals(stream.get("in"));
    Set<String> allReasons = new TreeSet<>(reasons);
    if (!ring && stream.get("reason") instanceof String reason && !reason.isEmpty()) {
      allReasons.add(reason);
    }
    return new Traffic(
        rings + (ring ? 1 : 0),
        ringOut + number(stream, "ringBytesOut"),
        ringIn + number(stream, "ringBytesIn"),
        plainOut + number(stream, "plainBytesOut"),
        plainIn + number(stream, "plainBytesIn"),
        messages + number(stream, "messagesOut") + number(stream, "messagesIn"),
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

  private static Map<?, ?> object(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    throw new IllegalArgumentException("an object was expected");
  }

  private static List<?> list(Map<?, ?> object, String key) {
    if (object.get(key) instanceof List<?> list) {
      return list;
    }
    throw new IllegalArgumentException("\"" + key + "\" is missing");
  }

  private static long number(Map<?, ?> object, String key) {
    if (object.get(key) instanceof Number number) {
      return number.longValue();
    }
    throw new IllegalArgumentException("\"" + key + "\" is missing");
  }
}
