package org.slipstream.core.status;

import java.util.Map;

/**
 * One stream as its process describes it.
 *
 * @param process members of the process
 * @param members of the stream; each value is a {@code String} or a {@code Long}
 */
public record StreamRow(Map<String, Object> process, Map<String, Object> members) {
  /**
   * A value of the stream or of its process.
   *
   * @param name of the member
   * @return nothing if the process did not say it
   */
  public String text(String name) {
    return String.valueOf(members.getOrDefault(name, process.getOrDefault(name, "")));
  }

  /**
   * A number of the stream or of its process.
   *
   * @param name of the member
   * @return 0 if the process did not say it
   */
  public long number(String name) {
    return members.getOrDefault(name, process.get(name)) instanceof Long number ? number : 0;
  }

  /**
   * Both directions together.
   *
   * @param name of the member, without a direction
   * @return the sum
   */
  public long sum(String name) {
    return number(name + "Out") + number(name + "In");
  }

  /**
   * What tells it from all others.
   *
   * @return some words
   */
  public String key() {
    return text("pid") + " " + text("local") + " " + text("remote") + " " + text("role");
  }

  /**
   * Why it is plain.
   *
   * @return the reason with advice, or nothing
   */
  public String why() {
    String reason = text("reason");
    return reason.equals("NONE") ? "" : reason + ": " + text("advice");
  }
}
