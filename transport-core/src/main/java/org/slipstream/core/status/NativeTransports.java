package org.slipstream.core.status;

import java.util.LinkedHashMap;
import java.util.Map;
import org.slipstream.core.events.FlightEvents;
import org.slipstream.core.events.Recording;

/**
 * Libraries in this process that open TCP connections in native code, as Netty's epoll transport
 * does: no channel of ours sees them. Kept for queries.
 */
public final class NativeTransports {
  /** What {@code slipstream ps} knows them by. */
  public static final String NAMES = "nativeTransports";

  /** About how many connections pass by. */
  public static final String CONNECTIONS = "passedBy";

  /** What to do about it. */
  public static final String ADVICE = "nativeAdvice";

  /** Written with the monitor held, by the thread that looks at loaded classes. */
  private volatile Map<String, String> found = Map.of();

  /** None yet. */
  public NativeTransports() {}

  /**
   * One is in use.
   *
   * @param name for the operator, {@code Netty's epoll}
   * @param advice what makes its connections ours
   */
  public synchronized void add(String name, String advice) {
    Map<String, String> more = new LinkedHashMap<>(found);
    more.put(name, advice);
    found = more;
    if (Recording.isOn()) {
      FlightEvents.nativeTransport(name, advice);
    }
  }

  /**
   * What the process says of them; asks the kernel for its connections if there are any.
   *
   * @param streams how many connections are ours
   * @return members of its answer; none without such a library
   */
  public Map<String, Object> members(int streams) {
    Map<String, String> now = found;
    if (now.isEmpty()) {
      return Map.of();
    }
    Map<String, Object> members = new LinkedHashMap<>();
    members.put(NAMES, String.join(", ", now.keySet()));
    members.put(CONNECTIONS, Math.max(0, TcpConnections.established() - streams));
    members.put(ADVICE, now.values().iterator().next());
    return members;
  }
}
