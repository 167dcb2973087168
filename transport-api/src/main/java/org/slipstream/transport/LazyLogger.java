package org.slipstream.transport;

import java.lang.System.Logger;
import org.jspecify.annotations.Nullable;

/**
 * A logger of the platform that is found when something is said. To find the first of a process
 * loads more than a hundred classes, at a moment at which the program waits for its first socket.
 */
public final class LazyLogger {
  private final String name;

  /** Any thread; to find it twice does no harm. */
  private volatile @Nullable Logger logger;

  /**
   * Finds nothing yet.
   *
   * @param name of the logger
   */
  public LazyLogger(String name) {
    this.name = name;
  }

  /**
   * The logger. The caller calls it, and no method of this class does: what is said names the
   * caller.
   *
   * @return found now, if it was not before
   */
  public Logger get() {
    Logger found = logger;
    if (found == null) {
      found = System.getLogger(name);
      logger = found;
    }
    return found;
  }
}
