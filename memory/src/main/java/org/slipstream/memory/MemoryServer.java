package org.slipstream.memory;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;

/**
 * Lends memory of this process to others, in chunks ({@link MemoryServers#reserve} asks for it): a
 * domain that does nothing else. Its processor works when chunks are reserved and when they come
 * back, and never while they are read or written.
 *
 * <p>A chunk is leased to the process that reserved it until that gives it back or ends, however it
 * ends. Then all mappings of it are revoked, it is filled with zeros, and lent anew. A process that
 * is stopped and has it mapped keeps it from being lent, and no more than that.
 *
 * <p>Names of reservations are kept by the servers that have their chunks. Of several servers the
 * eldest decides which of two processes gets a name; it keeps nothing for longer than that takes,
 * so when it ends the next one decides, and nothing is elected.
 *
 * <p>With a {@link MemoryDirectory} it lends to processes of other hosts, too, and to no others: to
 * those that have the same directory. There a lease is the holder's session with the directory, and
 * the directory decides about names.
 */
public final class MemoryServer implements AutoCloseable {
  /** The usual size of a chunk: {@value} bytes. */
  public static final long DEFAULT_CHUNK_BYTES = 64L << 20;

  private static final LazyLogger LOG = new LazyLogger("org.slipstream.memory");

  private final Domain domain;
  private final long chunkBytes;
  private final List<Region> chunks = new ArrayList<>();
  private final ServerBook book;
  private final ChunkCleaner cleaner = new ChunkCleaner();

  /** Written by the thread that opens it, before others see it. */
  private Closeable announced = () -> {};

  private MemoryServer(Domain domain, long chunkBytes, @Nullable MemoryDirectory directory) {
    this.domain = domain;
    this.chunkBytes = chunkBytes;
    this.book =
        directory == null
            ? new ServerBook(chunkBytes, cleaner::accept)
            : new ServerBook(chunkBytes, cleaner::accept, holder -> watch(directory, holder));
  }

  private void watch(MemoryDirectory directory, String holder) {
    directory.whenGone(DirectoryLenders.HOLDERS + holder, () -> book.gone(holder));
  }

  /**
   * Allocates all chunks and lends them from then on, to processes of this user on this host.
   * Blocks while the system finds the storage.
   *
   * @param domain of this process; one server has one, and closes before it
   * @param bytes how much to lend; rounded down to whole chunks
   * @param chunkBytes the size of a chunk, a multiple of 4096; clients use only servers with that
   *     of the eldest
   * @param progress told how many chunks there are, after each
   * @return to be closed
   * @throws IOException there is no memory; nothing is kept of it
   */
  public static MemoryServer open(Domain domain, long bytes, long chunkBytes, IntConsumer progress)
      throws IOException {
    MemoryServer server = filled(domain, null, bytes, chunkBytes, progress);
    try {
      server.announced = domain.announceRole(ServerBook.ROLE);
    } catch (IOException | OutOfMemoryError e) {
      server.close();
      throw e;
    }
    return server;
  }

  /**
   * As {@link #open(Domain, long, long, IntConsumer)}, to the processes that have the same
   * directory, on this host and others.
   *
   * @param domain of this process, which has {@linkplain Domain#announce announced} an address that
   *     they reach
   * @param directory closed after this
   * @param bytes how much to lend; rounded down to whole chunks
   * @param chunkBytes the size of a chunk, a multiple of 4096; clients use only servers with that
   *     of the eldest
   * @param progress told how many chunks there are, after each
   * @return to be closed
   * @throws IOException there is no memory, or the directory does not answer; nothing is kept of it
   * @throws InterruptedException while waiting for the directory
   */
  public static MemoryServer open(
      Domain domain, MemoryDirectory directory, long bytes, long chunkBytes, IntConsumer progress)
      throws IOException, InterruptedException {
    Owner owner = domain.owner();
    if (owner.address() == null) {
      throw new IllegalStateException(
          "Announce an address first, by which processes of other hosts reach this one");
    }
    MemoryServer server = filled(domain, directory, bytes, chunkBytes, progress);
    String entry = DirectoryLenders.serverEntry(System.currentTimeMillis(), owner);
    try {
      server.announced = directory.keep(DirectoryLenders.SERVERS + "/" + entry, owner.key());
    } catch (IOException | InterruptedException | OutOfMemoryError e) {
      server.close();
      throw e;
    }
    return server;
  }

  private static MemoryServer filled(
      Domain domain,
      @Nullable MemoryDirectory directory,
      long bytes,
      long chunkBytes,
      IntConsumer progress)
      throws IOException {
    if (chunkBytes <= 0 || chunkBytes % 4096 != 0 || bytes < chunkBytes) {
      throw new IllegalArgumentException(
          "A chunk is a multiple of 4096 bytes, and a server has one at least");
    }
    long left = domain.memoryLeft();
    if (left < bytes) { // not found out by filling what other programs need, too
      throw new IOException("the file system has " + left + " bytes left");
    }
    MemoryServer server = new MemoryServer(domain, chunkBytes, directory);
    try {
      server.fill(bytes, progress);
      server.cleaner.start(server.book::add);
    } catch (IOException | OutOfMemoryError e) {
      server.close();
      throw e;
    }
    domain.questions().answerWith(server.book);
    return server;
  }

  private void fill(long bytes, IntConsumer progress) throws IOException {
    String prefix = "chunk-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    for (long i = 0; i < bytes / chunkBytes; i++) {
      Region chunk = domain.export(prefix + "-" + i, chunkBytes, Set.of());
      chunks.add(chunk);
      book.add(chunk);
      progress.accept(chunks.size());
    }
  }

  /**
   * How many chunks it lends.
   *
   * @return all of them, free or not
   */
  public int chunks() {
    return chunks.size();
  }

  /**
   * How many chunks can be reserved.
   *
   * @return at this moment; those that are being cleaned do not count yet
   */
  public int freeChunks() {
    return book.freeChunks();
  }

  /** Ends all leases: what was reserved here is {@link Status#REVOKED}. Idempotent. */
  @Override
  public void close() {
    try {
      announced.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "Leaving", e);
    }
    try {
      cleaner.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    chunks.forEach(Region::close);
  }
}
