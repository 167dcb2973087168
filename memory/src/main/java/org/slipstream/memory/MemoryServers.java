package org.slipstream.memory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slipstream.memory.Lenders.Chunk;
import org.slipstream.memory.Questions.Poll;

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

  /** Servers may end, or be robbed of their free chunks by others, while they are asked. */
  private static final int TRIES = 5;

  private final Domain domain;
  private final Lenders lenders;
  private final long keepBytes;

  /** Where the next reservation begins, so that small ones are not all on one server. */
  private final AtomicInteger turn =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(1 << 16));

  /** Another domain's, or another one's of this domain, are far from these. */
  private final AtomicLong reservations =
      new AtomicLong(ThreadLocalRandom.current().nextLong() >>> 1);

  /** Mapped, leased and not in use; guarded by itself. */
  private final Deque<Chunk> kept = new ArrayDeque<>();

  /** Guarded by {@link #kept}. */
  private long bytesKept;

  /** Written by the thread that closes it; under the monitor of {@link #kept}. */
  private volatile boolean closed;

  /**
   * The servers of this user on this host. Asks none yet.
   *
   * @param domain of this process; close it after this
   * @param keepBytes how much to keep, at most, of what is closed
   */
  public MemoryServers(Domain domain, long keepBytes) {
    this(domain, new HostLenders(domain.questions()), keepBytes);
  }

  /**
   * The servers that a directory lists, on this host and others. Asks none yet. What is reserved
   * ends when the session of this process with the directory does: when the two have not heard of
   * each other for so long that the directory takes this process for dead.
   *
   * @param domain of this process; close it after this
   * @param directory closed after this
   * @param keepBytes how much to keep, at most, of what is closed
   */
  public MemoryServers(Domain domain, MemoryDirectory directory, long keepBytes) {
    this(domain, new DirectoryLenders(domain.questions(), directory), keepBytes);
  }

  private MemoryServers(Domain domain, Lenders lenders, long keepBytes) {
    this.domain = domain;
    this.lenders = lenders;
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
   * @param name 1 to 200 bytes; unique among the reservations of these servers
   * @param bytes how much
   * @param others what those may do with it that {@link #map} it
   * @return to be closed, which revokes it for the others; all zero
   * @throws IOException the name is taken, or the servers have no room; the message says what to do
   * @throws InterruptedException while waiting for servers
   */
  public StripedRegion reserve(String name, long bytes, Set<Right> others)
      throws IOException, InterruptedException {
    checkName(name);
    checkSize(bytes);
    Lenders.Named named =
        lenders.reserve(
            name,
            new Lenders.Chunks() {
              @Override
              public List<Chunk> take(String label) throws IOException, InterruptedException {
                return MemoryServers.this.take(label, bytes, Right.bits(others));
              }

              @Override
              public void give(List<Chunk> chunks) {
                MemoryServers.this.give(chunks);
              }
            });
    return region(
        named.chunks(),
        bytes,
        () -> {
          named.unname().run();
          give(named.chunks());
        });
  }

  private static void checkName(String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > MOST_NAME_BYTES) {
      throw new IllegalArgumentException("A name has 1 to 200 bytes, not '" + name + "'");
    }
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
      for (Grant grant : lenders.grants(name)) {
        chunks.add(domain.map(grant));
      }
    } catch (IOException | InterruptedException | RuntimeException e) {
      chunks.forEach(RemoteRegion::close);
      throw e;
    }
    long bytes = chunks.size() * chunks.getFirst().byteSize();
    return StripedRegion.reserved(chunks, bytes, () -> chunks.forEach(RemoteRegion::close));
  }

  // -- servers ---------------------------------------------------------------------------------

  private static void checkSize(long bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("A region has a positive size, not " + bytes);
    }
  }

  /** Takes and maps as many chunks as there must be, or none. */
  private List<Chunk> take(String label, long bytes, int rights)
      throws IOException, InterruptedException {
    checkSize(bytes);
    for (int tries = 0; tries < TRIES; tries++) {
      List<Lenders.Offer> servers = new ArrayList<>(lenders.offers());
      long size = servers.getFirst().chunkBytes();
      servers.removeIf(server -> server.chunkBytes() != size);
      long count = (bytes + size - 1) / size;
      long free = servers.stream().mapToLong(Lenders.Offer::free).sum();
      if (count > Math.min(free, MOST_CHUNKS)) {
        throw new IOException(
            "The memory servers have %d chunks of %d bytes left, and %d are needed; start another"
                .formatted(free, size, count));
      }
      List<Chunk> chunks = takeFrom(place(servers, (int) count), label, rights);
      if (chunks != null) {
        return chunks;
      }
    }
    throw new IOException("The memory servers end, or have no room, each time they are asked");
  }

  /** A server for each chunk: one after the other, but for those that are full. */
  private List<Lenders.Lender> place(List<Lenders.Offer> servers, int count) {
    int[] left = servers.stream().mapToInt(Lenders.Offer::free).toArray();
    List<Lenders.Lender> placed = new ArrayList<>();
    for (int at = turn.getAndIncrement() & 0xFFFF; placed.size() < count; at++) {
      int i = at % left.length;
      if (left[i] > 0) {
        left[i]--;
        placed.add(servers.get(i).lender());
      }
    }
    return placed;
  }

  private @Nullable List<Chunk> takeFrom(List<Lenders.Lender> servers, String label, int rights)
      throws IOException, InterruptedException {
    long reservation = reservations.incrementAndGet();
    List<Poll> polls = new ArrayList<>();
    for (int i = 0; i < servers.size(); i++) {
      String question =
          "take " + reservation + " " + i + " " + servers.size() + " " + rights + " " + label;
      polls.add(servers.get(i).ask(question));
    }
    List<Chunk> chunks = new ArrayList<>();
    boolean all = true;
    try {
      for (int i = 0; i < servers.size(); i++) {
        String[] words = polls.get(i).say(HostLenders.PATIENCE).split(" ", 3);
        if (words[0].equals("chunk")) {
          Grant grant = Grant.decode(words[2]);
          try {
            chunks.add(new Chunk(domain.map(grant), servers.get(i), reservation));
          } catch (MappingException e) { // the server has ended, or this process can not
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
      undo(reservation, servers, chunks);
      throw e;
    }
    if (!all) {
      undo(reservation, servers, chunks);
    }
    return all ? chunks : null;
  }

  /** With what a server has lent without that its answer came. */
  private static void undo(long reservation, List<Lenders.Lender> servers, List<Chunk> chunks) {
    chunks.forEach(chunk -> chunk.region().close());
    servers.stream().distinct().forEach(server -> server.give(reservation, ""));
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
        boolean ended = chunk.region().status() != Status.OK;
        bytesKept -= ended ? chunk.region().byteSize() : 0;
        return ended;
      });
      if (bytes <= 0 || bytesKept < bytes) {
        return null;
      }
      for (long found = 0; found < bytes; ) {
        Chunk chunk = kept.remove();
        found += chunk.region().byteSize();
        bytesKept -= chunk.region().byteSize();
        chunks.add(chunk);
      }
    }
    return chunks;
  }

  private void keep(List<Chunk> chunks) {
    List<Chunk> rest = new ArrayList<>();
    synchronized (kept) {
      for (Chunk chunk : chunks) {
        long bytes = chunk.region().byteSize();
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
      chunk.region().close();
      chunk.lender().give(chunk.reservation(), chunk.region().name());
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
