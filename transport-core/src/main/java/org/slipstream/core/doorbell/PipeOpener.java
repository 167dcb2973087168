package org.slipstream.core.doorbell;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.function.LongPredicate;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.Session;

/**
 * Opens the pipe that a peer has named, and nothing else that the peer could name: only a pipe,
 * only with that inode, only of the process that shares the memory of the session, or of our own
 * event loops. Reactor only.
 */
final class PipeOpener {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.doorbell");

  private final Descriptors descriptors;
  private final LongPredicate isOurs;

  /**
   * Opens nothing yet.
   *
   * @param descriptors of the JDK
   * @param isOurs whether a pipe with that inode is one of our own event loops
   */
  PipeOpener(Descriptors descriptors, LongPredicate isOurs) {
    this.descriptors = descriptors;
    this.isOurs = isOurs;
  }

  /** Fails with one sentence; then doorbells go by TCP. */
  RandomAccessFile open(Session session, long address, long inode) throws IOException {
    long pid = PipeAddress.pid(address);
    Path path = ProcPipe.of(pid, PipeAddress.descriptor(address));
    boolean allowed = pid == ProcPipe.ownPid() ? isOurs.test(inode) : session.isProcess(pid);
    if (!allowed) {
      throw new IOException("process " + pid + " is not known to be the peer");
    }
    check(path, inode);
    // For reading too: a pipe whose reader has gone would block the open for ever.
    RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw");
    try {
      check(ProcPipe.of(ProcPipe.ownPid(), descriptors.number(file.getFD())), inode);
      descriptors.neverBlock(file.getFD());
      return file;
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** The number may be another file's by now. */
  private static void check(Path descriptor, long inode) throws IOException {
    long found = ProcPipe.inode(descriptor);
    if (found != inode) {
      throw new IOException(descriptor + " is pipe " + found + ", not " + inode);
    }
  }

  /** Doorbells for this pipe stay on TCP. */
  void failed(Session session, Exception cause) {
    LOG.log(
        Level.DEBUG,
        () -> "Doorbells for " + session.peer() + " stay on TCP: " + cause.getMessage());
  }
}
