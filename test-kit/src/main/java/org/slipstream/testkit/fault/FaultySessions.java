package org.slipstream.testkit.fault;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;

/** The sessions of one transport, each in the place of one that works. Any thread. */
final class FaultySessions {
  private final FaultyWire wire;
  private final Map<Session, FaultySession> sessions = new ConcurrentHashMap<>();
  private final AtomicInteger severed = new AtomicInteger();

  FaultySessions(FaultyWire wire) {
    this.wire = wire;
  }

  FaultySession wrap(Session session, ProcessId own) {
    return sessions.computeIfAbsent(session, s -> new FaultySession(s, own, wire));
  }

  FaultySession lost(Session session, ProcessId own) {
    FaultySession wrapped = sessions.remove(session);
    return wrapped == null ? new FaultySession(session, own, wire) : wrapped;
  }

  int sever() {
    List<FaultySession> live = List.copyOf(sessions.values());
    live.forEach(FaultySession::sever);
    severed.addAndGet(live.size());
    return live.size();
  }

  void slowDown(long nanos) {
    wire.slowDown(nanos);
  }

  int severed() {
    return severed.get();
  }
}
