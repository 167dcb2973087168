package org.slipstream.provider.net;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.lang.ref.Cleaner.Cleanable;
import org.jspecify.annotations.Nullable;

/** Closes what is open of a socket that no program knows any more, once it is collected. */
final class LostSocket implements Runnable {
  /** Null until the system has a thread for it. Written under the monitor of this class. */
  private static volatile @Nullable Cleaner cleaner;

  private final Closeable open;

  private LostSocket(Closeable open) {
    this.open = open;
  }

  /**
   * Waits for the collection of a socket.
   *
   * @param open what to close then; idempotent, and knows nothing of the socket
   * @return to be cleaned with the close of the socket: until then all that is open is kept, which
   *     for many short connections would be until a collection has found each of their sockets
   */
  static Cleanable await(Object socket, Closeable open) {
    Cleaner found = cleaner();
    return found == null ? () -> {} : found.register(socket, new LostSocket(open));
  }

  /** No initializer of the class: if that failed, the JVM would make no socket any more. */
  private static @Nullable Cleaner cleaner() {
    Cleaner found = cleaner;
    return found == null ? create() : found;
  }

  private static synchronized @Nullable Cleaner create() {
    Cleaner made = cleaner;
    if (made == null) {
      try {
        made = Cleaner.create();
        cleaner = made;
      } catch (OutOfMemoryError e) { // no thread: this socket is closed by the program, or never
        return null;
      }
    }
    return made;
  }

  @Override
  public void run() {
    try {
      open.close();
    } catch (IOException e) {
      System.getLogger("org.slipstream").log(Level.DEBUG, "A lost socket", e);
    }
  }
}
