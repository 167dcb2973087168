package org.slipstream.core.session;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Reason;
import org.slipstream.core.identity.ConnectionName;
import org.slipstream.core.identity.ConnectionNames;
import org.slipstream.core.stream.RawWriteProbe;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;

/**
 * The client's search for the process that accepted its connection, where the addresses between the
 * two are translated (a published port, the address of a service), so that no process announces the
 * one that the client is connected to. Each neighbour is asked for the connection by a part of its
 * {@linkplain ConnectionName name}; the process that knows the rest has it. Nothing is written to
 * the connection for that, and nothing to an address.
 *
 * <p>Reactor only, but for {@link #knows} and {@link #size}.
 */
final class TranslatedStreams {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.path");

  /** Processes that are asked for one stream. */
  static final int MOST_ASKED = 64;

  /** An entry of FOUND. */
  private static final int FOUND_BYTES = 2 * Integer.BYTES + Tuple.BYTES;

  /**
   * Answers that are compared with one name: a process that does not know it may not try for long.
   */
  private static final int MOST_COMPARED = 4_096;

  /** An offer to an announced address of another network is answered sooner, if it ever is. */
  static final long OFFER_NS = 30_000_000;

  /** It is looked for once more after that, if it was not under way yet. */
  private static final long LAST_OFFER_NS = 1_000_000_000;

  /** The program at the other end may not have accepted yet. Asked again after so long. */
  private static final long[] AGAIN_NS = {20_000_000, 100_000_000, 500_000_000, 2_000_000_000};

  /** So long no process is asked for connections to an address where none was found, at first. */
  private static final long FIRST_QUIET_NS = 1_000_000_000;

  private static final long LAST_QUIET_NS = 60_000_000_000L;

  /** Addresses that are remembered for that. */
  private static final int MOST_QUIET = 1_024;

  /** What is done with a stream whose process is found. */
  interface Claims {
    /**
     * Offers a stream to the process that has accepted its connection.
     *
     * @param stream joinable
     * @param tuple the addresses that the peer sees
     * @param name proves the peer
     * @param session with it
     */
    void claim(Stream stream, Tuple tuple, ConnectionName name, Session session);

    /**
     * Whether the stream was offered to processes of other networks alone, and none has answered.
     *
     * @param stream a client's
     * @return true if its peer may be another one
     */
    boolean isUnanswered(Stream stream);
  }

  private record Quiet(long until, long length) {}

  private final class Search implements Runnable {
    private final long id;
    private final Stream stream;
    private final ConnectionName name;
    private int rounds;
    private int compared;

    Search(long id, Stream stream, ConnectionName name) {
      this.id = id;
      this.stream = stream;
      this.name = name;
    }

    @Override
    public void run() {
      if (searches.get(id) != this) {
        return; // found, or closed
      }
      if (!isWanted(stream) || rounds > AGAIN_NS.length) {
        searches.remove(id);
        if (isWanted(stream)) {
          notFound(stream);
        }
        return;
      }
      reach(session -> session.send(Frame.allocate(Frame.SEEK, id).putShort(name.hint()).flip()));
      long pause = AGAIN_NS[Math.min(rounds, AGAIN_NS.length - 1)];
      rounds++;
      reactor.schedule(pause, this);
    }
  }

  private final List<Endpoint> endpoints;
  private final LinkTable ids;
  private final ConnectionNames segments;
  private final Claims claims;
  private final Reactor reactor;
  private final Map<Long, Search> searches = new HashMap<>();

  /**
   * The streams that were searched for, and their names; empty until the next write of the program
   * tells the name. Written by the reactor; a search has an entry here for as long as it lasts.
   */
  private final Map<Stream, Optional<ConnectionName>> names = new ConcurrentHashMap<>();

  private final Map<InetSocketAddress, Quiet> quiet =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<InetSocketAddress, Quiet> eldest) {
          return size() > MOST_QUIET;
        }
      };

  /**
   * Nothing is searched for yet.
   *
   * @param endpoints of the process; those between hosts know no names
   * @param ids makes the names of frames
   * @param segments of the process's connections
   * @param claims takes streams whose process is found
   * @param reactor of the process
   */
  TranslatedStreams(
      List<Endpoint> endpoints,
      LinkTable ids,
      ConnectionNames segments,
      Claims claims,
      Reactor reactor) {
    this.endpoints = endpoints;
    this.ids = ids;
    this.segments = segments;
    this.claims = claims;
    this.reactor = reactor;
  }

  /**
   * A stream was looked for by its addresses: no process announces the remote one, or those that do
   * may have nothing to do with it.
   */
  void unmatched(Stream stream) {
    if (!stream.isClient() || !segments.areKnown()) {
      return;
    }
    if (stream.reason() == Reason.OFFERED) {
      searchUnlessAnswered(stream, OFFER_NS);
    } else {
      search(stream);
    }
  }

  /** The session for the offer may have to be made first. */
  private void searchUnlessAnswered(Stream stream, long pauseNs) {
    reactor.schedule(
        pauseNs,
        () -> {
          if (!isWanted(stream) || stream.reason() != Reason.OFFERED) {
            return;
          }
          if (claims.isUnanswered(stream)) {
            search(stream);
          } else if (pauseNs < LAST_OFFER_NS) {
            searchUnlessAnswered(stream, LAST_OFFER_NS);
          }
        });
  }

  private void search(Stream stream) {
    Optional<ConnectionName> name = names.get(stream);
    if (name != null) {
      name.ifPresent(known -> ask(stream, known));
      return;
    }
    if (isQuiet(stream) || !isWanted(stream) || reach(s -> {}) == 0) {
      return;
    }
    RawWriteProbe probe =
        segments.probe(stream.madeAt(), known -> reactor.execute(() -> named(stream, known)));
    if (probe != null) {
      names.put(stream, Optional.empty());
      stream.probeRawWrites(probe);
      if (!stream.isOpen()) {
        forget(stream); // the thread that closed it may have asked before it was known
      }
    }
  }

  private void named(Stream stream, ConnectionName name) {
    stream.probeRawWrites(null);
    names.replace(stream, Optional.empty(), Optional.of(name));
    if (names.containsKey(stream) && stream.isOpen()) { // also if there was no memory to ask before
      ask(stream, name);
    }
  }

  private void ask(Stream stream, ConnectionName name) {
    if (!isWanted(stream)) {
      reach(session -> {}); // a silent direction needs a session with its peer, and no offer
      return;
    }
    if (searches.values().stream().noneMatch(s -> s.stream.equals(stream))) {
      Search search = new Search(ids.newId(), stream, name);
      searches.put(search.id, search);
      search.run();
    }
  }

  private int reach(Consumer<Session> answer) {
    int n = 0;
    for (Endpoint endpoint : endpoints) {
      n += endpoint.findListeners(MOST_ASKED, answer);
    }
    return n;
  }

  /** FOUND: hostile input. A process that does not have the connection can not know its name. */
  void found(Session session, long id, ByteBuffer body) throws IOException {
    while (body.hasRemaining()) {
      Frame.require(body, FOUND_BYTES);
      int sequence = body.getInt();
      int clock = body.getInt();
      Tuple tuple = Tuple.get(body);
      Search search = searches.get(id);
      if (search == null) {
        continue;
      }
      boolean isIt = search.name.is(sequence, clock);
      if (isIt && isWanted(search.stream)) {
        forgetQuiet(search.stream);
        claims.claim(search.stream, tuple, search.name, session);
      }
      if (isIt || ++search.compared >= MOST_COMPARED) {
        searches.remove(id);
      }
    }
  }

  /** Whether something is kept for a stream. Any thread. */
  boolean knows(Stream stream) {
    return names.containsKey(stream);
  }

  /** How many streams something is kept for. Any thread. */
  int size() {
    return names.size();
  }

  /** The stream was closed. */
  void forget(Stream stream) {
    names.remove(stream);
    searches.values().removeIf(s -> s.stream.equals(stream));
  }

  private static boolean isWanted(Stream stream) {
    StreamLink link = stream.link();
    Reason now = stream.reason();
    return stream.isOpen()
        && (link == null || link.isDead())
        && now != Reason.RULE
        && now != Reason.DISABLED
        && stream.isJoinable();
  }

  // -- addresses where no neighbour listens ------------------------------------------------------

  private boolean isQuiet(Stream stream) {
    InetSocketAddress remote = remote(stream);
    Quiet known = remote == null ? null : quiet.get(remote);
    return known != null && System.nanoTime() - known.until < 0;
  }

  private void notFound(Stream stream) {
    InetSocketAddress remote = remote(stream);
    if (remote != null) {
      Quiet known = quiet.get(remote);
      long now = System.nanoTime();
      if (known == null || now - known.until >= 0) {
        long length = known == null ? FIRST_QUIET_NS : Math.min(LAST_QUIET_NS, 2 * known.length);
        quiet.put(remote, new Quiet(now + length, length));
      }
    }
  }

  private void forgetQuiet(Stream stream) {
    InetSocketAddress remote = remote(stream);
    if (remote != null) {
      quiet.remove(remote);
    }
  }

  private static @Nullable InetSocketAddress remote(Stream stream) {
    try {
      return (InetSocketAddress) stream.tcp().getRemoteAddress();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "The stream was closed before its peer was found", e);
      return null;
    }
  }
}
