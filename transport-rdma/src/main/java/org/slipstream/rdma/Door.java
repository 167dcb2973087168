package org.slipstream.rdma;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.HandshakeMessage.Kind;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Refusal;

/**
 * The accepting end's part of the handshake: which peer gets a session, and how long one may carry
 * nothing. Decides only; event thread only. ADR 27 has the reasons.
 *
 * <p>With a cluster key nothing is made before the peer has proven that it knows the key. Without
 * one a session is unproven until a MARK of one of its streams came back over TCP, and few unproven
 * sessions are let in, for a short time: of an address from which the program has accepted a TCP
 * connection, and still fewer of any other, whose connection may be about to be accepted.
 *
 * @param <S> the sessions
 */
final class Door<S extends Door.Admitted> {
  /** Unproven sessions of addresses without an accepted connection: of all, and of one address. */
  static final int MAX_UNEXPECTED = 8;

  static final int MAX_UNEXPECTED_OF_ADDRESS = 2;

  /** Unproven sessions of one address. */
  static final int MAX_UNPROVEN_OF_ADDRESS = 16;

  /** Sessions of one address that carry no stream; beyond it the oldest ends for a new one. */
  static final int MAX_IDLE_OF_ADDRESS = 32;

  /** Sessions of one process with this one, over one port each. */
  static final int MAX_RAILS = RailWays.MOST;

  /**
   * How long a peer may take to establish what was accepted; rdma_cm says an acceptance that was
   * lost twice more in that time. A peer that has given up, and whose word of that was lost, would
   * hold memory for the minute after which rdma_cm gives up. And rdma_cm would say the acceptance
   * over a link that is cut meanwhile: Soft-RoCE (Linux 6.1) loses the queue pair of its connection
   * manager by that, and the host every further connection.
   */
  static final long ESTABLISH_NS = 10_000_000_000L;

  /** How long a session may carry no stream: an unexpected one, an unproven one, a proven one. */
  static final long UNEXPECTED_NS = 5_000_000_000L;

  static final long UNPROVEN_NS = 30_000_000_000L;
  static final long IDLE_NS = 300_000_000_000L;

  /** A session that was let in. */
  interface Admitted {
    /** Whether the peer has taken what was accepted. */
    boolean isEstablished();

    /** Whether its peer has proven itself. */
    boolean isProven();

    /** Whether a window or a staging copy of it is in use. */
    boolean carriesStream();

    /** Ends it. */
    void end(String cause);
  }

  /** One that was let in, and what is known of it. */
  private static final class Entry<S> {
    final S session;
    final ProcessId process;
    final InetAddress from;
    final Token ticket;

    /** The ticket of the first session of the process, which let this one in; or its own. */
    final Token group;

    /** Where the first one came from. */
    final InetAddress home;

    long idleSince;

    /** The number of the last queue pair that it asked for; they only grow. */
    long lastQueue;

    /** And of the last session beside it. */
    long lastRail;

    Entry(S session, Admission admission, @Nullable Entry<S> beside, long now) {
      this.session = session;
      this.process = admission.asked.process();
      this.from = admission.from;
      this.ticket = admission.answer.number();
      this.group = beside == null ? ticket : beside.group;
      this.home = beside == null ? from : beside.home;
      this.idleSince = now;
    }
  }

  /**
   * A request that may have a session.
   *
   * @param asked the request
   * @param from where the peer is
   * @param answer the acceptance
   * @param beside the ticket of the session that lets it in; {@link Token#NONE} for a first one
   */
  record Admission(
      HandshakeMessage asked, InetAddress from, HandshakeMessage answer, Token beside) {}

  private final FabricKey key;
  private final ProcessId self;
  private final Predicate<InetAddress> expects;
  private final Challenges challenges = new Challenges();
  private final List<Entry<S>> entries = new ArrayList<>();

  /**
   * No peer is admitted yet.
   *
   * @param key of the cluster, or none
   * @param self this process
   * @param expects whether the program has an accepted TCP connection from an address
   */
  Door(FabricKey key, ProcessId self, Predicate<InetAddress> expects) {
    this.key = key;
    this.self = self;
    this.expects = expects;
  }

  /** What came of a request: one of the two is there. */
  record Decision(@Nullable Admission admission, @Nullable HandshakeMessage rejection) {}

  /**
   * Decides about a request. May end sessions: one that the peer has lost, or one that carries
   * nothing.
   *
   * @param asked hostile
   * @param from where rdma_cm says that it comes from
   * @param now {@link System#nanoTime}
   */
  Decision decide(HandshakeMessage asked, InetAddress from, long now) {
    switch (asked.kind()) {
      case HELLO, PROVE, LOST -> {}
      case RAIL -> {
        return decideBeside(asked, from, now);
      }
      default -> {
        return refuse(Refusal.NOT_ALLOWED);
      }
    }
    Entry<S> lost = asked.kind() == Kind.LOST ? ofTicket(asked, from) : null;
    if (key.isSet()) {
      if (asked.kind() == Kind.HELLO) {
        return answer(Kind.CHALLENGE, asked, from, now);
      }
      boolean proven = lost != null || isProven(asked);
      if (!challenges.isGood(asked.number(), asked.process(), from, now) || !proven) {
        return refuse(Refusal.KEY);
      }
      challenges.use(asked.number(), now);
    }
    if (lost != null) {
      lost.session.end("the peer has lost the session");
    } else if (asked.kind() != Kind.LOST && has(asked.process(), from)) {
      return answer(Kind.KNOWN, asked, from, now);
    }
    if (!key.isSet() && isFull(from)) {
      return refuse(Refusal.BUSY);
    }
    endOldestIdleBeyond(MAX_IDLE_OF_ADDRESS - 1, e -> e.from.equals(from), now);
    return accept(asked, from, Token.NONE);
  }

  /**
   * A session that speaks for the first one's address, over another port: only a peer that has
   * proven itself has one, and another address of it one only.
   */
  private Decision decideBeside(HandshakeMessage asked, InetAddress from, long now) {
    Entry<S> beside = ofTicket(asked);
    if (beside == null || beside.from.equals(from) || asked.number().high() <= beside.lastRail) {
      return refuse(Refusal.NOT_ALLOWED);
    }
    beside.lastRail = asked.number().high();
    if (!beside.session.isProven()) {
      return refuse(Refusal.BUSY);
    }
    List<Entry<S>> group = entries.stream().filter(e -> e.group.equals(beside.group)).toList();
    for (Entry<S> each : group) {
      if (each.from.equals(from)) {
        each.session.end("the peer has lost the session");
        return accept(asked, from, beside.ticket);
      }
    }
    if (group.size() >= MAX_RAILS) {
      return refuse(Refusal.BUSY);
    }
    endOldestIdleBeyond(MAX_IDLE_OF_ADDRESS - 1, e -> e.from.equals(from), now);
    return accept(asked, from, beside.ticket);
  }

  private Decision accept(HandshakeMessage asked, InetAddress from, Token beside) {
    HandshakeMessage answer = of(Kind.ACCEPT, asked, Token.random(), asked.number());
    return new Decision(new Admission(asked, from, answer, beside), null);
  }

  /** The session that let one in which is not made yet; null for a first one, or if it is over. */
  @Nullable S beside(Admission admission) {
    Entry<S> entry = entryBeside(admission);
    return entry == null ? null : entry.session;
  }

  private @Nullable Entry<S> entryBeside(Admission admission) {
    return entries.stream().filter(e -> e.ticket.equals(admission.beside)).findAny().orElse(null);
  }

  private Decision refuse(Refusal why) {
    return new Decision(null, HandshakeMessage.refused(self, HandshakeMessage.numberOf(why)));
  }

  private Decision answer(Kind kind, HandshakeMessage asked, InetAddress from, long now) {
    Token number = key.isSet() ? challenges.issue(asked.process(), from, now) : Token.NONE;
    return new Decision(null, of(kind, asked, number, asked.number()));
  }

  private HandshakeMessage of(Kind kind, HandshakeMessage asked, Token number, Token bound) {
    return HandshakeMessage.of(
        kind, 0, self, number, key.prove(kind, 0, asked.process(), self, number, bound));
  }

  private boolean isProven(HandshakeMessage asked) {
    return isProof(asked, Token.NONE);
  }

  private boolean isProof(HandshakeMessage asked, Token bound) {
    return key.prove(asked.kind(), asked.detail(), asked.process(), self, asked.number(), bound)
        .isSame(asked.proof());
  }

  /** The session whose ticket the proof shows; null if it shows none. */
  private @Nullable Entry<S> ofTicket(HandshakeMessage asked, InetAddress from) {
    Entry<S> entry = ofTicket(asked);
    return entry == null || !entry.from.equals(from) ? null : entry;
  }

  private @Nullable Entry<S> ofTicket(HandshakeMessage asked) {
    for (Entry<S> e : entries) {
      if (e.process.equals(asked.process()) && isProof(asked, e.ticket)) {
        return e;
      }
    }
    return null;
  }

  /**
   * The session for which a peer asks for one more queue pair.
   *
   * @param asked a QUEUE: hostile
   * @param from where rdma_cm says that it comes from
   * @return null if it does not know the ticket of one, or has asked with that number before
   */
  @Nullable S ofQueue(HandshakeMessage asked, InetAddress from) {
    Entry<S> entry = ofTicket(asked, from);
    if (entry == null || asked.number().high() <= entry.lastQueue) {
      return null;
    }
    entry.lastQueue = asked.number().high();
    return entry.session;
  }

  /** One that lets in sessions beside it for other addresses is none of these. */
  private boolean has(ProcessId process, InetAddress from) {
    return entries.stream()
        .anyMatch(e -> e.process.equals(process) && e.from.equals(from) && e.home.equals(from));
  }

  private boolean isFull(InetAddress from) {
    int here = 0;
    int unexpectedHere = 0;
    int unexpectedPeers = 0;
    for (Entry<S> e : entries) {
      if (!e.session.isProven()) {
        boolean same = e.from.equals(from);
        boolean unexpected = !expects.test(e.from);
        here += same ? 1 : 0;
        unexpectedHere += same && unexpected ? 1 : 0;
        unexpectedPeers += unexpected ? 1 : 0;
      }
    }
    return here >= MAX_UNPROVEN_OF_ADDRESS
        || (!expects.test(from)
            && (unexpectedHere >= MAX_UNEXPECTED_OF_ADDRESS || unexpectedPeers >= MAX_UNEXPECTED));
  }

  /** A session was made for an admission. */
  void enter(S session, Admission admission, long now) {
    entries.add(new Entry<>(session, admission, entryBeside(admission), now));
  }

  /** A session is over. */
  void leave(S session) {
    entries.removeIf(e -> e.session.equals(session));
  }

  /** Whether an admitted peer has proven itself. */
  boolean isProofNeeded() {
    return key.isSet();
  }

  /** For tests: challenges that were used. */
  int remembered() {
    return challenges.used();
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /**
   * Ends sessions that were not established in time, or have carried no stream for too long.
   *
   * @param now {@link System#nanoTime}
   */
  void sweep(long now) {
    List<Entry<S>> overdue = new ArrayList<>();
    Set<Token> carrying = new HashSet<>();
    entries.stream().filter(e -> e.session.carriesStream()).forEach(e -> carrying.add(e.group));
    for (Entry<S> e : entries) {
      if (e.session.isEstablished() && carrying.contains(e.group)) {
        e.idleSince = now;
      } else if (now - e.idleSince >= allowed(e)) {
        overdue.add(e);
      }
    }
    overdue.forEach(e -> e.session.end(why(e)));
  }

  private String why(Entry<S> e) {
    if (allowed(e) == ESTABLISH_NS) {
      return "the peer did not establish it in time";
    }
    if (e.session.isProven()) {
      return "it carried no stream for minutes";
    }
    return expects.test(e.from)
        ? "no stream has proven it in time"
        : "no TCP connection of " + e.from.getHostAddress() + " was accepted in time";
  }

  private long allowed(Entry<S> e) {
    long idle = IDLE_NS;
    if (!e.session.isProven()) {
      idle = expects.test(e.from) ? UNPROVEN_NS : UNEXPECTED_NS;
    }
    return e.session.isEstablished() ? idle : Math.min(idle, ESTABLISH_NS);
  }

  /**
   * Memory is short: ends the session that has carried nothing for the longest time.
   *
   * @param now {@link System#nanoTime}
   * @return false if all of them carry streams
   */
  boolean makeRoom(long now) {
    return endOldestIdleBeyond(0, e -> true, now);
  }

  private boolean endOldestIdleBeyond(int kept, Predicate<Entry<S>> which, long now) {
    List<Entry<S>> idle =
        entries.stream()
            .filter(which)
            .filter(e -> !e.session.carriesStream())
            .sorted(Comparator.comparingLong(e -> e.idleSince - now))
            .toList();
    if (idle.size() <= kept) {
      return false;
    }
    idle.getFirst().session.end("another session needs its place");
    return true;
  }
}
