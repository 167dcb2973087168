package org.slipstream.provider.net;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.lang.ref.Cleaner.Cleanable;
import org.slipstream.core.stream.Stream;

/** Closes the stream of a socket that no program knows any more, once it is collected. */
final class LostSocket implements Runnable {
  private static final Cleaner CLEANER = Cleaner.create();

  private final Stream stream;

  private LostSocket(Stream stream) {
    this.stream = stream;
  }

  /**
   * Waits for the collection of a socket.
   *
   * @return to be cleaned with the close of the socket: until then the stream is kept, which for
   *     many short connections would be until a collection has found each of their sockets
   */
  static Cleanable await(Object socket, Stream stream) {
    return CLEANER.register(socket, new LostSocket(stream));
  }

  /** Does nothing for a stream that is closed. */
  @Override
  public void run() {
    try {
      stream.close(true);
    } catch (IOException e) {
      System.getLogger("org.slipstream").log(Level.DEBUG, "A lost socket", e);
    }
  }
}
