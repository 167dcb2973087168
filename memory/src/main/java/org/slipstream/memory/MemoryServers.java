package org.slipstream.memory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slipstream.memory.Questions.Answer;
import org.slipstream.memory.Questions.Poll;
import org.slipstream.transport.Session;

/**
 * The {@link MemoryServer}s that a domain can reach: memory is reserved from them, in chunks that
 * are placed on all of them in turn. A program needs one. Its methods may block for milliseconds,
 * and fail with a reason; safe for any thread.
 *
 * <p>What was reserved without a name is kept when it is closed, up to a limit, and the next
 * reservation takes it from there: without a message, and without mapping anything. Its content is
 * zero, or what this process has left there, never another process's.
 */
public final class MemoryServers implements AutoCloseable {
  /** A name travels in one frame with a grant. */
  private static final int MOST_NAME_BYTES = 200;

  private static final int MOST_CHUNKS = 1 << 16;

  /** A server that lives and is not stopped answers within milliseconds. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** How long a stopped server keeps a reservation that can do without it. */
  private static final Duration IMPATIENCE = Duration.ofMillis(500);

  /** Servers may end, or be robbed of their free chunks by others, while they are asked. */
  private static final int TRIES = 5;

  /** What a server said of itself. */
  private record Server(Session session, long since, long chunkBytes, int free, boolean has) {}

  /** A chunk of ours. */
  private record Chunk(RemoteRegion region, Session server) {}

  private final Domain domain;
  private final Questions questions;
  private final long keepBytes;

  /** Where the next reservation begins, so that small ones are not all on one server. */
  private final AtomicInteger turn =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(1 << 16));

  private final AtomicLong reservations = new AtomicLong();

  /** Mapped, leased and not in use; guarded by itself. */
  private final Deque<Chunk> kept = new ArrayDeque<>();

  /** Guarded by {@link #kept}. */
  private long bytesKept;

  /** Written by the thread that closes it; under the monitor of {@link #kept}. */
  private volatile boolean closed;

  /**
   * Asks no server yet.
   *
   * @param domain of this process; close it after this
   * @param keepBytes how much to keep, at most, of what is closed
   */
  public MemoryServers(Domain domain, long keepBytes) {
    this.domain = domain;
    this.questions = domain.questions();
    this.keepBytes = keepBytes;
  }

  /**
   * Reserves memory that no other process knows.
   *
   * @param bytes how much
   * @return to be closed; it is zero, or what this process left in an earlier one
   * @throws IOException the servers have no room, or there is none; the message says what to do
   * @throws InterruptedException while waiting for servers
   */
  public StripedRegion reserve(long bytes) throws IOException, InterruptedException {
    List<Chunk> chunks = fromKept(bytes);
    if (chunks == null) {
      chunks = take("", bytes, 0);
    }
    List<Chunk> ours = chunks;
    return region(ours, bytes, () -> keep(ours));
  }

  /**
   * Reserves memory that other processes map by a name, as long as this one holds it.
   *
   * @param name 1 to 200 bytes; unique among the reservations of this user's servers
   * @param bytes how much
   * @param others what those may do with it that {@link #map} it
   * @return to be closed, which revokes it for the others; all zero
   * @throws IOException the name is taken, or the servers have no room; the message says what to do
   * @throws InterruptedException while waiting for servers
   */
  public StripedRegion reserve(String name, long bytes, Set<Right> others)
      throws IOException, InterruptedException {
    checkName(name);
    for (int tries = 0; tries < TRIES; tries++) {
      Session eldest = eldest(name).session;
      String claim = say(eldest, "claim " + name);
      if (claim.equals("taken")) {
        throw taken(name);
      }
      if (!claim.equals("ok")) {
        continue; // it has ended
      }
      List<Chunk> chunks;
      try {
        eldest(name); // nobody else has got the name before we did
        chunks = take(name, bytes, Right.bits(others));
      } catch (IOException | InterruptedException e) {
        questions.ask(eldest, "done " + name);
        throw e;
      }
      if (say(eldest, "done " + name).equals("ok")) {
        return region(chunks, bytes, () -> give(chunks));
      }
      give(chunks); // who decides has ended, and another process may have asked the next one
    }
    throw new IOException("'" + name + "' was not reserved: memory servers end all the time");
  }

  private static void checkName(String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > MOST_NAME_BYTES) {
      throw new IllegalArgumentException("A name has 1 to 200 bytes, not '" + name + "'");
    }
  }

  /** The one that decides about names, if the name is free. */
  private Server eldest(String name) throws IOException, InterruptedException {
    List<Server> all = hail(name, PATIENCE);
    if (all.stream().anyMatch(Server::has)) {
      throw taken(name);
    }
    return all.getFirst();
  }

  private static IOException taken(String name) {
    return new IOException("'" + name + "' is reserved already; close that first");
  }

  /**
   * Maps what another process has reserved by a name.
   *
   * @param name of the reservation
   * @return to be closed; revoked when its holder gives it back or ends
   * @throws MappingException there is none, or not all of its chunks are there any more
   * @throws IOException if this process can not ask, or no memory server runs
   * @throws InterruptedException while waiting for servers
   */
  public StripedRegion map(String name) throws IOException, InterruptedException {
    checkName(name);
    List<RemoteRegion> chunks = new ArrayList<>();
    try {
      int count = 1;
      for (int i = 0; i < count; i++) {
        String[] words = find(name, i);
        count = Integer.parseInt(words[1]);
        chunks.add(domain.map(Grant.decode(words[2])));
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      chunks.forEach(RemoteRegion::close);
      throw e;
    }
    long bytes = chunks.size() * chunks.getFirst().byteSize();
    return StripedRegion.reserved(chunks, bytes, () -> chunks.forEach(RemoteRegion::close));
  }

  private String[] find(String name, int index) throws IOException, InterruptedException {
    Poll poll = questions.askAll(ServerBook.ROLE, "find " + index + " " + name);
    for (Answer answer : poll.await(PATIENCE)) {
      String[] words = answer.text().split(" ", 3);
      if (words[0].equals("chunk")) {
        return words;
      }
    }
    throw new MappingException(
        poll.silent() == 0 ? MappingException.Reason.NO_REGION : MappingException.Reason.NO_ANSWER,
        "'"
            + name
            + "' can not be mapped: "
            + (index == 0
                ? "no process has reserved it for others"
                : "the server of its chunk " + index + " has ended"));
  }

  // -- servers ---------------------------------------------------------------------------------

  /** All servers that answer, the eldest first; and only those with chunks of its size. */
  private List<Server> hail(String name, Duration patience)
      throws IOException, InterruptedException {
    Poll poll = questions.askAll(ServerBook.ROLE, "hail " + name);
    List<Server> servers = new ArrayList<>();
    for (Answer answer : poll.await(patience)) {
      String[] words = answer.text().split(" ", -1);
      if (words[0].equals("server")) {
        servers.add(
            new Server(
                answer.session(),
                Long.parseLong(words[1]),
                Long.parseLong(words[2]),
                Integer.parseInt(words[3]),
                words[4].equals("1")));
      }
    }
    if (!name.isEmpty() && poll.silent() > 0) {
      throw new IOException(
          "A memory server does not answer; it may be stopped. Names are given out when it goes on"
              + " or ends");
    }
    if (servers.isEmpty()) {
      throw new IOException(
          "No memory server of this user answers; start one: slipstream memory serve --size 1g");
    }
    servers.sort(Comparator.comparingLong(Server::since));
    return servers;
  }

  /** What a server says; empty if it ends, or does not answer in time. */
  private String say(Session server, String question) throws InterruptedException {
    return say(questions.ask(server, question));
  }

  private static String say(Poll poll) throws InterruptedException {
    List<Answer> answers = poll.await(PATIENCE);
    return answers.isEmpty() ? "" : answers.getFirst().text();
  }

  /** Takes and maps as many chunks as there must be, or none. */
  private List<Chunk> take(String name, long bytes, int rights)
      throws IOException, InterruptedException {
    if (bytes <= 0) {
      throw new IllegalArgumentException("A region has a positive size, not " + bytes);
    }
    for (int tries = 0; tries < TRIES; tries++) {
      List<Server> servers = new ArrayList<>(hail("", IMPATIENCE));
      long size = servers.getFirst().chunkBytes;
      servers.removeIf(server -> server.chunkBytes != size);
      long count = (bytes + size - 1) / size;
      long free = servers.stream().mapToLong(Server::free).sum();
      if (count > Math.min(free, MOST_CHUNKS)) {
        throw new IOException(
            "The memory servers have %d chunks of %d bytes left, and %d are needed; start another"
                .formatted(free, size, count));
      }
      List<Chunk> chunks = takeFrom(place(servers, (int) count), name, rights);
      if (chunks != null) {
        return chunks;
      }
    }
    throw new IOException("The memory servers end, or have no room, each time they are asked");
  }

  /** A server for each chunk: one after the other, but for those that are full. */
  private List<Session> place(List<Server> servers, int count) {
    int[] left = servers.stream().mapToInt(Server::free).toArray();
    List<Session> placed = new ArrayList<>();
    for (int at = turn.getAndIncrement() & 0xFFFF; placed.size() < count; at++) {
      int i = at % left.length;
      if (left[i] > 0) {
        left[i]--;
        placed.add(servers.get(i).session);
      }
    }
    return placed;
  }

  private @Nullable List<Chunk> takeFrom(List<Session> servers, String name, int rights)
      throws IOException, InterruptedException {
    long reservation = reservations.incrementAndGet();
    List<Poll> polls = new ArrayList<>();
    for (int i = 0; i < servers.size(); i++) {
      String question =
          "take " + reservation + " " + i + " " + servers.size() + " " + rights + " " + name;
      polls.add(questions.ask(servers.get(i), question));
    }
    List<Chunk> chunks = new ArrayList<>();
    boolean all = true;
    try {
      for (int i = 0; i < servers.size(); i++) {
        String[] words = say(polls.get(i)).split(" ", 3);
        if (words[0].equals("chunk")) {
          Grant grant = Grant.decode(words[2]);
          try {
            chunks.add(new Chunk(domain.map(grant), servers.get(i)));
          } catch (MappingException e) { // the server has ended, or this process can not
            questions.ask(servers.get(i), "give " + grant.region());
            if (e.reason() == MappingException.Reason.NO_MEMORY) {
              throw e;
            }
            all = false;
          }
        } else {
          all = false;
        }
      }
    } catch (IOException | InterruptedException e) {
      give(chunks);
      throw e;
    }
    if (!all) {
      give(chunks);
    }
    return all ? chunks : null;
  }

  private static StripedRegion region(List<Chunk> chunks, long bytes, Runnable onClose) {
    return StripedRegion.reserved(chunks.stream().map(Chunk::region).toList(), bytes, onClose);
  }

  // -- what is kept ----------------------------------------------------------------------------

  /** Returns null if there are not enough. */
  private @Nullable List<Chunk> fromKept(long bytes) {
    List<Chunk> chunks = new ArrayList<>();
    synchronized (kept) {
      kept.removeIf(chunk -> {
        boolean ended = chunk.region.status() != Status.OK;
        bytesKept -= ended ? chunk.region.byteSize() : 0;
        return ended;
      });
      if (bytes <= 0 || bytesKept < bytes) {
        return null;
      }
      for (long found = 0; found < bytes; ) {
        Chunk chunk = kept.remove();
        found += chunk.region.byteSize();
        bytesKept -= chunk.region.byteSize();
        chunks.add(chunk);
      }
    }
    return chunks;
  }

  private void keep(List<Chunk> chunks) {
    List<Chunk> rest = new ArrayList<>();
    synchronized (kept) {
      for (Chunk chunk : chunks) {
        long bytes = chunk.region.byteSize();
        if (closed || bytesKept + bytes > keepBytes) {
          rest.add(chunk);
        } else {
          kept.add(chunk);
          bytesKept += bytes;
        }
      }
    }
    give(rest);
  }

  private void give(List<Chunk> chunks) {
    for (Chunk chunk : chunks) {
      chunk.region.close();
      questions.ask(chunk.server, "give " + chunk.region.name());
    }
  }

  /** Gives back what is kept, for other processes to reserve. */
  public void trim() {
    List<Chunk> all;
    synchronized (kept) {
      all = List.copyOf(kept);
      kept.clear();
      bytesKept = 0;
    }
    give(all);
  }

  /** Keeps nothing any more. What is reserved stays so until it is closed. Idempotent. */
  @Override
  public void close() {
    synchronized (kept) {
      closed = true;
    }
    trim();
  }
}
