package org.slipstream.core.rules;

import java.net.InetSocketAddress;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One line: what to do with the streams that fulfil all its conditions. A condition that is null is
 * none.
 *
 * @param on whether they may be accelerated
 * @param client true for connected streams only, false for accepted ones only
 * @param remote addresses of the other end
 * @param firstPort of the listener's port
 * @param lastPort of the listener's port
 * @param process name of this process
 */
record Rule(
    boolean on,
    @Nullable Boolean client,
    @Nullable Prefix remote,
    int firstPort,
    int lastPort,
    @Nullable Pattern process) {

  static final int LAST_PORT = 65_535;

  /** Whether it is {@code on all} or {@code off all}. */
  boolean isForAll() {
    return client == null
        && remote == null
        && firstPort == 0
        && lastPort == LAST_PORT
        && process == null;
  }

  boolean matches(
      boolean isClient, InetSocketAddress local, InetSocketAddress other, String processName) {
    int port = (isClient ? other : local).getPort();
    return (client == null || client == isClient)
        && port >= firstPort
        && port <= lastPort
        && (remote == null || remote.contains(other.getAddress()))
        && (process == null || process.matcher(processName).matches());
  }
}
