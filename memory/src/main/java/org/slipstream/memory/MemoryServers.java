package org.slipstream.memory;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slipstream.memory.Lenders.Chunk;
import org.slipstream.memory.Questions.Poll;
import org.slipstream.transport.MemoryShortage;

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
    List<Chunk> chunks = new ArrayList<>();
    Runnable release = () -> keep(chunks);
    if (!fromKept(bytes, chunks)) {
      take("", bytes, 0, chunks);
    }
    return region(chunks, bytes, release);
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
              public void take(String label, List<Chunk> into)
                  throws IOException, InterruptedException {
                MemoryServers.this.take(label, bytes, Right.bits(others), into);
              }

              @Override
              public void give(List<Chunk> chunks) {
                MemoryServers.give(chunks);
              }
            });
    return region(named.chunks(), bytes, named.release());
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
    ArrayList<RemoteRegion> chunks = new ArrayList<>();
    Runnable release = () -> chunks.forEach(RemoteRegion::release);
    boolean mapped = false;
    try {
      List<Grant> grants = lenders.grants(name);
      chunks.ensureCapacity(grants.size());
      for (Grant grant : grants) {
        chunks.add(domain.map(grant));
      }
      long bytes = chunks.size() * chunks.getFirst().byteSize();
      StripedRegion region = StripedRegion.reserved(chunks, bytes, release);
      mapped = true;
      return region;
    } finally {
      if (!mapped) {
        MemoryShortage.insist(release);
      }
    }
  }

  // -- servers ---------------------------------------------------------------------------------

  private static void checkSize(long bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("A region has a positive size, not " + bytes);
    }
  }

  /** Takes and maps as many chunks as there must be, or none. */
  private void take(String label, long bytes, int rights, List<Chunk> into)
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
      if (takeFrom(place(servers, (int) count), label, rights, into)) {
        return;
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

  /**
   * Takes and maps a chunk of each.
   *
   * @param into receives all of them, or none
   * @return false if not all of the servers lend one
   */
  private boolean takeFrom(List<Lenders.Lender> servers, String label, int rights, List<Chunk> into)
      throws IOException, InterruptedException {
    long reservation = reservations.incrementAndGet();
    Runnable undo = () -> undo(reservation, servers, into);
    boolean all = false;
    try {
      List<Poll> polls = new ArrayList<>();
      for (int i = 0; i < servers.size(); i++) {
        String question =
            "take " + reservation + " " + i + " " + servers.size() + " " + rights + " " + label;
        polls.add(servers.get(i).ask(question));
      }
      int lent = 0;
      for (int i = 0; i < servers.size(); i++) {
        RemoteRegion region = lent(polls.get(i));
        if (region != null) {
          into.add(new Chunk(region, servers.get(i), reservation));
          lent++;
        }
      }
      all = lent == servers.size();
    } finally {
      if (!all) {
        MemoryShortage.insist(undo);
      }
    }
    return all;
  }

  /** Maps the chunk that a server has lent; null if it has lent none, or has ended. */
  private @Nullable RemoteRegion lent(Poll poll) throws IOException, InterruptedException {
    String[] words = poll.say(HostLenders.PATIENCE).split(" ", 3);
    if (!words[0].equals("chunk")) {
      return null;
    }
    try {
      return domain.map(Grant.decode(words[2]));
    } catch (MappingException e) { // the server has ended, or this process can not
      if (e.reason() == MappingException.Reason.NO_MEMORY) {
        throw e;
      }
      return null;
    }
  }

  /**
   * With what a server has lent without that its answer came. A region that was mapped and is not
   * among the chunks, for want of memory, ends when its server takes the chunk back.
   */
  private static void undo(long reservation, List<Lenders.Lender> servers, List<Chunk> chunks) {
    chunks.forEach(chunk -> chunk.region().release());
    servers.stream().distinct().forEach(server -> server.give(reservation, ""));
    chunks.clear();
  }

  /** Of chunks that are given back if there is no memory for it. */
  private static StripedRegion region(List<Chunk> chunks, long bytes, Runnable onClose) {
    try {
      return StripedRegion.reserved(chunks.stream().map(Chunk::region).toList(), bytes, onClose);
    } catch (OutOfMemoryError e) {
      MemoryShortage.insist(onClose);
      throw e;
    }
  }

  // -- what is kept ----------------------------------------------------------------------------

  /**
   * Takes chunks from there.
   *
   * @param into receives them
   * @return false if there are not enough
   */
  private boolean fromKept(long bytes, List<Chunk> into) {
    synchronized (kept) {
      kept.removeIf(chunk -> chunk.region().status() != Status.OK);
      if (bytes <= 0 || bytes(kept) < bytes) {
        return false;
      }
      long left = bytes;
      for (Chunk chunk : kept) {
        if (left <= 0) {
          break;
        }
        into.add(chunk);
        left -= chunk.region().byteSize();
      }
      into.forEach(chunk -> kept.remove()); // behind what may want memory
    }
    return true;
  }

  private static long bytes(Collection<Chunk> chunks) {
    return chunks.stream().mapToLong(chunk -> chunk.region().byteSize()).sum();
  }

  /** Keeps those for which there is room, and gives the others back; may be run again. */
  private void keep(List<Chunk> chunks) {
    synchronized (kept) {
      long left = closed ? 0 : keepBytes - bytes(kept);
      List<Chunk> staying = new ArrayList<>();
      List<Chunk> rest = new ArrayList<>();
      for (Chunk chunk : chunks) {
        long bytes = chunk.region().byteSize();
        boolean stays = bytes <= left && chunk.region().status() == Status.OK;
        (stays ? staying : rest).add(chunk);
        left -= stays ? bytes : 0;
      }
      give(rest);
      kept.addAll(staying); // all or none of them, behind all else that may want memory
    }
  }

  /** Does not wait; may be run again. */
  private static void give(List<Chunk> chunks) {
    for (Chunk chunk : chunks) {
      chunk.region().release();
      chunk.lender().give(chunk.reservation(), chunk.region().name());
    }
  }

  /** Gives back what is kept, for other processes to reserve. */
  public void trim() {
    synchronized (kept) {
      give(List.copyOf(kept));
      kept.clear();
    }
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
