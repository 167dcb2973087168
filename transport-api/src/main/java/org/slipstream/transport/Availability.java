package org.slipstream.transport;

import java.util.Objects;

/**
 * Whether a transport can be used in this process, and if not, why.
 *
 * <p>Availability is a value that can be asked for and shown; a missing library or device is never
 * a failed static initialiser.
 *
 * @param available whether the transport can be used
 * @param reason one sentence for the operator: what was found, or what is missing and what to do
 */
public record Availability(boolean available, String reason) {

  /** Checks that there is a reason. */
  public Availability {
    Objects.requireNonNull(reason, "reason");
  }

  /**
   * The transport can be used.
   *
   * @param detail what it will use, e.g. a directory or a device
   * @return an available value
   */
  public static Availability yes(String detail) {
    return new Availability(true, detail);
  }

  /**
   * The transport can not be used.
   *
   * @param reason why, and what would change that
   * @return an unavailable value
   */
  public static Availability no(String reason) {
    return new Availability(false, reason);
  }
}
