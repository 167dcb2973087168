package org.slipstream.rdma;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slipstream.transport.ProcessId;

/**
 * Tickets of sessions of ours that are over: a peer that has not heard of the end believes it from
 * that has the ticket. Event thread only.
 */
final class Tickets {
  /** The oldest are forgotten: such a peer finds the end out by itself. */
  private static final int MOST = 1024;

  private record Owner(ProcessId process, InetAddress local, InetAddress remote) {
    static Owner of(ProcessId process, Way way) {
      return new Owner(process, way.local(), way.remote().getAddress());
    }
  }

  private final Map<Owner, Token> all = new LinkedHashMap<>();

  /** A session with a process, that was asked for on a way, is over. */
  void keep(ProcessId process, Way way, Token ticket) {
    if (!ticket.equals(Token.NONE)) {
      all.put(Owner.of(process, way), ticket);
      if (all.size() > MOST) {
        all.remove(all.keySet().iterator().next());
      }
    }
  }

  /** The ticket of the last session with a process; {@link Token#NONE} if there is none. */
  Token take(ProcessId process, Way way) {
    Token ticket = all.remove(Owner.of(process, way));
    return ticket == null ? Token.NONE : ticket;
  }
}
