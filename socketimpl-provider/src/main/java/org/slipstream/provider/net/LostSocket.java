package org.slipstream.provider.net;

import java.io.Closeable;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.lang.ref.Cleaner.Cleanable;

/** Closes what is open of a socket that no program knows any more, once it is collected. */
final class LostSocket implements Runnable {
  private static final Cleaner CLEANER = Cleaner.create();

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
    return CLEANER.register(socket, new LostSocket(open));
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
