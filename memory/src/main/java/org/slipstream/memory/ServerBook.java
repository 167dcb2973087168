package org.slipstream.memory;

import java.io.IOException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.Session;

/**
 * Which chunks of a memory server are free, and which process holds the others: its answers to
 * clients. A lease is a session: when the holder's ends, because the process was killed for
 * example, so do its leases and claims. Where there is a {@link MemoryDirectory}, a lease of those
 * that ask in the name of an entry is that entry. Names come last in a question, because they may
 * contain spaces.
 *
 * <pre>
 *   hail NAME                              server SINCE CHUNK-BYTES FREE HAS-NAME(0|1)
 *   claim NAME                             ok | taken        while a reservation is made; the eldest server is asked
 *   done NAME                              ok | lost         the claim ends
 *   take RESERVATION INDEX COUNT RIGHTS NAME   chunk 0 GRANT | full | taken
 *   give RESERVATION CHUNK                 ok | none         the lease of a chunk ends; of all that it has here, without CHUNK
 *   find INDEX NAME                        chunk COUNT GRANT | none
 *   as HOLDER QUESTION                     as to QUESTION, with an entry as the holder | none: no directory here
 * </pre>
 */
final class ServerBook implements Questions.Answerer {
  /** By which servers are found. */
  static final String ROLE = "memory-servers";

  private static final int TAKE_WORDS = 6;

  /** Reservations under way at one time. */
  private static final int MOST_CLAIMS = 1 << 12;

  private static final int AS_WORDS = 3;
  private static final String HOLDER = "[0-9a-f]{32}";

  /** With whose end a lease ends. */
  private sealed interface Holder {}

  private record Peer(Session session) implements Holder {}

  /** By the second part of its path. */
  private record Entry(String id) implements Holder {}

  private record Lease(
      Holder holder, long reservation, int index, int count, int rights, String name) {
    boolean isOfReservation(Holder of, long number) {
      return holder.equals(of) && reservation == number;
    }
  }

  /**
   * A chunk of this server: free, leased, or neither, while it is cleaned. It goes from one to the
   * next by a field, as an entry of a map could be lost where there is no memory for it.
   */
  private static final class Slot {
    final Region chunk;
    boolean free;

    /** Null: it is not leased. */
    @Nullable Lease lease;

    /** For those that map it by the reservation's name; made when the first asks. */
    @Nullable Grant others;

    Slot(Region chunk) {
      this.chunk = chunk;
    }
  }

  private final long chunkBytes;

  /**
   * When it was opened, on a clock that all processes of the host have: it says which server is the
   * eldest.
   */
  private final long since = System.nanoTime();

  private final Consumer<Region> cleaner;

  /** Told of each holder in the directory before it has a lease; null without a directory. */
  private final @Nullable Consumer<String> watch;

  // Guarded by this; no holder of it waits.

  /** All chunks by their names. */
  private final Map<String, Slot> slots = new LinkedHashMap<>();

  private int free;
  private final Map<String, Session> claims = new HashMap<>();

  /** Entries whose end a caller wants to be told. */
  private final Set<String> watched = new HashSet<>();

  /**
   * Begins without chunks, for clients of this host.
   *
   * @param cleaner takes chunks whose lease has ended, and may hand them back by {@link #add}
   */
  ServerBook(long chunkBytes, Consumer<Region> cleaner) {
    this(chunkBytes, cleaner, null);
  }

  /**
   * Begins without chunks.
   *
   * @param watch calls {@link #gone} when there is no entry of that holder; does not wait
   */
  ServerBook(long chunkBytes, Consumer<Region> cleaner, @Nullable Consumer<String> watch) {
    this.chunkBytes = chunkBytes;
    this.cleaner = cleaner;
    this.watch = watch;
  }

  /** A chunk that is all zero and mapped by no process. */
  synchronized void add(Region chunk) {
    Slot slot = slots.computeIfAbsent(chunk.name(), name -> new Slot(chunk));
    if (!slot.free) {
      slot.free = true;
      slot.others = null; // revoked
      free++;
    }
  }

  synchronized int freeChunks() {
    return free;
  }

  @Override
  public synchronized String answer(Session from, String question) throws IOException {
    String[] words = question.split(" ", 2);
    if (words.length != 2) {
      throw nonsense(question);
    }
    String rest = words[1];
    try {
      return switch (words[0]) {
        case "hail" -> "server " + since + " " + chunkBytes + " " + free + " " + has(rest);
        case "claim" -> claim(from, rest);
        case "done" -> claims.remove(rest, from) ? "ok" : "lost";
        case "take" -> take(new Peer(from), question.split(" ", TAKE_WORDS));
        case "give" -> give(new Peer(from), rest.split(" ", 2));
        case "as" -> as(question.split(" ", AS_WORDS));
        case "find" -> find(rest.split(" ", 2));
        default -> throw nonsense(question);
      };
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw new IOException("A memory server was asked wrongly", e);
    }
  }

  private String as(String[] words) throws IOException {
    String question = words[2];
    if (!words[1].matches(HOLDER)) {
      throw nonsense(words[1]);
    }
    if (watch == null) {
      return "none";
    }
    Holder holder = new Entry(words[1]);
    if (question.startsWith("give ")) {
      return give(holder, question.substring("give ".length()).split(" ", 2));
    }
    if (!question.startsWith("take ")) {
      throw nonsense(question);
    }
    if (!watched.contains(words[1])) {
      watch.accept(words[1]); // once more, without harm, if there is no memory to note it
      watched.add(words[1]);
    }
    return take(holder, question.split(" ", TAKE_WORDS));
  }

  /** There is no entry of that holder any more, or there never was one: all its leases end. */
  synchronized void gone(String id) {
    watched.remove(id);
    Holder holder = new Entry(id);
    boolean _ = end(lease -> lease.holder.equals(holder));
  }

  private String claim(Session from, String name) {
    boolean room = claims.size() < MOST_CLAIMS;
    return room && claims.putIfAbsent(name, from) == null ? "ok" : "taken";
  }

  private static IOException nonsense(String question) {
    return new IOException("A memory server was asked '" + question + "'");
  }

  private int has(String name) {
    if (!name.isEmpty()) {
      for (Slot slot : slots.values()) {
        if (slot.lease != null && slot.lease.name.equals(name)) {
          return 1;
        }
      }
    }
    return 0;
  }

  private String take(Holder from, String[] words) {
    Lease lease =
        new Lease(
            from,
            Long.parseLong(words[1]),
            Integer.parseInt(words[2]),
            Integer.parseInt(words[3]),
            Integer.parseInt(words[4]),
            words[5]);
    if (isTaken(lease)) {
      return "taken";
    }
    Slot found = free == 0 ? null : firstFree();
    if (found == null) {
      return "full";
    }
    String answer = "chunk 0 " + found.chunk.grant(EnumSet.allOf(Right.class)).encode();
    found.free = false; // behind all that may want memory
    found.lease = lease;
    free--;
    return answer;
  }

  /** Whether another reservation has its name. */
  private boolean isTaken(Lease asked) {
    if (!asked.name.isEmpty()) {
      for (Slot slot : slots.values()) {
        Lease other = slot.lease;
        if (other != null
            && other.name.equals(asked.name)
            && !other.isOfReservation(asked.holder, asked.reservation)) {
          return true;
        }
      }
    }
    return false;
  }

  private @Nullable Slot firstFree() {
    for (Slot slot : slots.values()) {
      if (slot.free) {
        return slot;
      }
    }
    return null;
  }

  /** Of that reservation only: this may be asked twice, and the chunk be lent anew meanwhile. */
  private String give(Holder from, String[] words) {
    long reservation = Long.parseLong(words[0]);
    Predicate<Lease> meant = lease -> lease.isOfReservation(from, reservation);
    if (words[1].isEmpty()) {
      return end(meant) ? "ok" : "none";
    }
    Slot given = slots.get(words[1]);
    return given != null && end(given, meant) ? "ok" : "none";
  }

  private String find(String[] words) {
    int index = Integer.parseInt(words[0]);
    for (Slot slot : slots.values()) {
      Lease lease = slot.lease;
      if (lease != null
          && lease.index == index
          && lease.rights != 0
          && lease.name.equals(words[1])) {
        Grant grant = slot.others;
        if (grant == null) {
          grant = slot.chunk.grant(Right.of(lease.rights));
          slot.others = grant;
        }
        return "chunk " + lease.count + " " + grant.encode();
      }
    }
    return "none";
  }

  @Override
  public synchronized void lost(Session session) {
    claims.values().removeIf(session::equals);
    Holder holder = new Peer(session);
    boolean _ = end(lease -> lease.holder.equals(holder));
  }

  /** Returns whether there was any. */
  private boolean end(Predicate<Lease> which) {
    boolean any = false;
    for (Slot slot : slots.values()) {
      any |= end(slot, which);
    }
    return any;
  }

  private boolean end(Slot slot, Predicate<Lease> which) {
    if (slot.lease == null || !which.test(slot.lease)) {
      return false;
    }
    cleaner.accept(slot.chunk); // first: if there is no memory for it, the lease has yet to end
    slot.lease = null;
    return true;
  }
}
