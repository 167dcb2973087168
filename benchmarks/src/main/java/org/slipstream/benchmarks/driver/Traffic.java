package org.slipstream.benchmarks.driver;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.json.JSONException;
import org.json.JSONObject;

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

  /**
   * Reads what {@code slipstream ps --json} printed.
   *
   * @throws IllegalArgumentException it is something else
   */
  static Map<Long, Traffic> byProcess(String answer) {
    try {
      return read(new JSONObject(answer));
    } catch (JSONException | ClassCastException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static Map<Long, Traffic> read(JSONObject answer) {
    Map<Long, Traffic> traffic = new HashMap<>();
    for (Object process : answer.getJSONArray("processes")) {
      Traffic sum = NONE;
      for (Object stream : ((JSONObject) process).getJSONArray("streams")) {
        sum = sum.plus((JSONObject) stream);
      }
      traffic.put(((JSONObject) process).getLong("pid"), sum);
    }
    return traffic;
  }

  private Traffic plus(JSONObject stream) {
    boolean ring =
        !stream.getString("carrier").equals("tcp")
            && stream.getString("out").equals("ring")
            && stream.getString("in").equals("ring");
    Set<String> allReasons = new TreeSet<>(reasons);
    if (!ring && !stream.optString("reason").isEmpty()) {
      allReasons.add(stream.optString("reason"));
    }
    return new Traffic(
        rings + (ring ? 1 : 0),
        ringOut + stream.getLong("ringBytesOut"),
        ringIn + stream.getLong("ringBytesIn"),
        plainOut + stream.getLong("plainBytesOut"),
        plainIn + stream.getLong("plainBytesIn"),
        messages + stream.getLong("messagesOut") + stream.getLong("messagesIn"),
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
