package org.slipstream.memory;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryEndpoint;
import org.slipstream.transport.PeerMemory;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;

/**
 * The regions of others that this process has mapped, or is about to. Reactor only, but for the
 * regions themselves.
 */
final class Imports {
  /** Between two tries to unmap memory that an operation of the JDK uses. */
  private static final long RETRY_NS = 10_000_000;

  private static final LazyLogger LOG = new LazyLogger("org.slipstream.memory");

  private record Asked(MapRequest request, Session session) {}

  private record Mapped(RemoteRegion region, Session session) {}

  private final Media media;
  private final Reactor reactor;
  private final Map<Long, Asked> asked = new HashMap<>();
  private final Map<Long, Mapped> mapped = new HashMap<>();
  private long ids;

  Imports(Media media, Reactor reactor) {
    this.media = media;
    this.reactor = reactor;
  }

  /** Asks all processes that the owner's name names. */
  void ask(MapRequest request) {
    request.asked(
        media.find(
            request.owner(),
            session -> ask(request, session),
            () -> request.refused(MappingException.Reason.OWNER_LOST),
            () -> request.refused(MappingException.Reason.NO_OWNER)));
  }

  private void ask(MapRequest request, Session session) {
    long id = ++ids;
    asked.put(id, new Asked(request, session));
    session.send(MemoryFrame.map(id, request.frame()));
  }

  void mapped(Session session, long id, ByteBuffer body) throws IOException {
    MemoryFrame.Answer answer = MemoryFrame.readMapped(body);
    MapRequest request = take(session, id);
    if (!request.isOpen()) { // another owner was first, or the caller has given up
      session.send(MemoryFrame.unmapped(id));
      return;
    }
    Arena arena = Arena.ofShared();
    RemoteRegion region;
    try {
      int writing = Right.WRITE.bit() | Right.ATOMIC.bit();
      MemoryEndpoint endpoint = media.of(session);
      PeerMemory memory =
          endpoint.mapMemory(
              session, answer.descriptor(), answer.size(), (answer.rights() & writing) != 0, arena);
      region =
          new RemoteRegion(
              request.frame().name(),
              request.owner(),
              memory.hasAtomics() ? answer.rights() : answer.rights() & ~Right.ATOMIC.bit(),
              answer.size(),
              new RemoteRegion.Access(endpoint, memory, arena),
              () -> reactor.execute(() -> end(id, Status.REVOKED)));
    } catch (IOException e) {
      arena.close();
      session.send(MemoryFrame.unmapped(id));
      request.failed(String.valueOf(e.getMessage()));
      return;
    }
    mapped.put(id, new Mapped(region, session));
    if (!request.answered(region)) {
      end(id, Status.REVOKED);
    }
  }

  void refused(Session session, long id, ByteBuffer body) throws IOException {
    MappingException.Reason reason = MemoryFrame.readRefused(body);
    take(session, id).refused(reason);
  }

  private MapRequest take(Session session, long id) throws IOException {
    Asked one = asked.get(id);
    if (one == null || !one.session.equals(session)) {
      throw new IOException("The peer answers a question that it was not asked");
    }
    asked.remove(id);
    return one.request;
  }

  void revoke(Session session, long id) {
    Mapped one = mapped.get(id);
    if (one != null && one.session.equals(session)) {
      end(id, Status.REVOKED);
    }
  }

  /** Ends a mapping and tells its owner, as soon as nothing uses it. */
  private void end(long id, Status why) {
    Mapped one = mapped.get(id);
    if (one == null) {
      return;
    }
    if (one.region.end(why)) {
      mapped.remove(id);
      one.session.send(MemoryFrame.unmapped(id));
    } else {
      reactor.schedule(RETRY_NS, () -> end(id, why));
    }
  }

  /**
   * The domain is closed. By the thread that closes it, when there is no reactor any more: a
   * transport may have told of the end of its sessions too late.
   */
  void close() {
    for (Mapped one : mapped.values()) {
      if (!one.region.end(Status.LOST)) {
        LOG.log(Level.DEBUG, () -> one.region.name() + " is in use; it stays mapped");
      }
    }
    mapped.clear();
  }

  /** The owner is gone, or this process leaves. */
  void lost(Session session) {
    Map.copyOf(mapped)
        .forEach((id, one) -> {
          if (one.session.equals(session)) {
            end(id, Status.LOST);
          }
        });
    Map.copyOf(asked)
        .forEach((id, one) -> {
          if (one.session.equals(session)) {
            asked.remove(id);
            one.request.refused(MappingException.Reason.OWNER_LOST);
          }
        });
  }
}
