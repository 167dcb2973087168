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

  /** Of what fails here for want of memory, the end of the session tells the caller. */
  void mapped(Session session, long id, ByteBuffer body) throws IOException {
    MemoryFrame.Answer answer = MemoryFrame.readMapped(body);
    MapRequest request = request(session, id);
    if (!request.isOpen()) { // another owner was first, or the caller has given up
      session.send(MemoryFrame.unmapped(id));
      asked.remove(id);
      return;
    }
    RemoteRegion region;
    try {
      region = map(session, id, request, answer);
    } catch (IOException e) {
      session.send(MemoryFrame.unmapped(id));
      request.failed(String.valueOf(e.getMessage()));
      asked.remove(id);
      return;
    }
    boolean kept = false;
    try {
      mapped.put(id, new Mapped(region, session));
      asked.remove(id);
      kept = true;
    } finally {
      if (!kept) {
        boolean _ = region.end(Status.LOST);
      }
    }
    if (!request.answered(region)) {
      end(id, Status.REVOKED);
    }
  }

  private RemoteRegion map(Session session, long id, MapRequest request, MemoryFrame.Answer answer)
      throws IOException {
    int writing = Right.WRITE.bit() | Right.ATOMIC.bit();
    MemoryEndpoint endpoint = media.of(session);
    Arena arena = Arena.ofShared();
    boolean made = false;
    try {
      PeerMemory memory =
          endpoint.mapMemory(
              session, answer.descriptor(), answer.size(), (answer.rights() & writing) != 0, arena);
      RemoteRegion region =
          new RemoteRegion(
              request.frame().name(),
              request.owner(),
              memory.hasAtomics() ? answer.rights() : answer.rights() & ~Right.ATOMIC.bit(),
              answer.size(),
              new RemoteRegion.Access(endpoint, memory, arena),
              () -> reactor.execute(() -> end(id, Status.REVOKED)));
      made = true;
      return region;
    } finally {
      if (!made) {
        arena.close();
      }
    }
  }

  void refused(Session session, long id, ByteBuffer body) throws IOException {
    MappingException.Reason reason = MemoryFrame.readRefused(body);
    request(session, id).refused(reason);
    asked.remove(id);
  }

  private MapRequest request(Session session, long id) throws IOException {
    Asked one = asked.get(id);
    if (one == null || !one.session.equals(session)) {
      throw new IOException("The peer answers a question that it was not asked");
    }
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
      one.session.send(MemoryFrame.unmapped(id)); // twice does no harm
      mapped.remove(id);
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

  /**
   * The owner is gone, or this process leaves. If there is no memory for it, the next call goes on.
   */
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
            one.request.refused(MappingException.Reason.OWNER_LOST);
            asked.remove(id);
          }
        });
  }
}
