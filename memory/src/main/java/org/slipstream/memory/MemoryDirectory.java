package org.slipstream.memory;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Entries of text that processes of several hosts see, each of which ends with the process that
 * made it: what memory servers of several hosts, and their clients, need of a service that outlives
 * each of them. The module {@code memory-zookeeper} has one; on one host none is needed.
 *
 * <p>A directory holds where servers are, which processes hold leases, and where named reservations
 * are placed, but no grants: its readers learn no secret. The path of an entry has two parts, with
 * a slash between them. What an entry says is one for all: of two processes that make the same one,
 * one fails.
 *
 * <p>Safe for any thread. Methods that throw {@link IOException} may block for seconds while the
 * service does not answer; its message then says so.
 */
public interface MemoryDirectory extends AutoCloseable {

  /**
   * Makes an entry, which ends with this process's session, or by {@link #remove}.
   *
   * @param path of it
   * @param text what it says; something that no other process says, so that the entry is known as
   *     this process's own when an answer was lost and it is made again
   * @return false if there is one that says something else
   * @throws IOException if the service does not answer; then the entry may be there all the same,
   *     and is removed as soon as it answers
   * @throws InterruptedException while waiting
   */
  boolean create(String path, String text) throws IOException, InterruptedException;

  /**
   * Says something else in an entry that this process has made.
   *
   * @param path of it
   * @param text what it says from now on
   * @return false if it is not there any more: the session ended meanwhile
   * @throws IOException if the service does not answer
   * @throws InterruptedException while waiting
   */
  boolean replace(String path, String text) throws IOException, InterruptedException;

  /**
   * Reads an entry as it is now, or was changed while this reads.
   *
   * @param path of it
   * @return what it says; null if there is none
   * @throws IOException if the service does not answer
   * @throws InterruptedException while waiting
   */
  @Nullable String read(String path) throws IOException, InterruptedException;

  /**
   * Lists the entries whose paths have the same first part.
   *
   * @param folder the first part
   * @return the second parts, sorted
   * @throws IOException if the service does not answer
   * @throws InterruptedException while waiting
   */
  List<String> list(String folder) throws IOException, InterruptedException;

  /**
   * Removes an entry that this process has made, soon, if it says what it is expected to: not one
   * that was made after it. Does not wait; if the service does not answer for so long, the entry
   * ends with this process's session.
   *
   * @param path of it
   * @param text what it says
   */
  void remove(String path, String text);

  /**
   * Makes an entry that stays as long as this process: when its session ended, because the two did
   * not hear of each other for too long, it is made anew in the next one.
   *
   * @param path of it
   * @param text what it says
   * @return removes it
   * @throws IOException if the service does not answer
   * @throws InterruptedException while waiting
   */
  Closeable keep(String path, String text) throws IOException, InterruptedException;

  /**
   * Tells when an entry is not there: at the end of the session of the process that made it, or
   * soon, if there is none now. While the service does not answer, nothing is told, because nothing
   * is known. Does not wait.
   *
   * @param path of it
   * @param gone called once, by a thread of the directory, which it must not block
   */
  void whenGone(String path, Runnable gone);

  /** Ends this process's session, and so all its entries. Idempotent. */
  @Override
  void close();
}
