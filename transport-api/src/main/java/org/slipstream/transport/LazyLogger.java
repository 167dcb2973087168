package org.slipstream.transport;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.Supplier;
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

  private Logger logger() {
    Logger found = logger;
    if (found == null) {
      found = System.getLogger(name);
      logger = found;
    }
    return found;
  }

  /**
   * As {@link Logger#log(Level, String)}.
   *
   * @param level how bad it is
   * @param message one sentence
   */
  public void log(Level level, String message) {
    logger().log(level, message);
  }

  /**
   * As {@link Logger#log(Level, Supplier)}.
   *
   * @param level how bad it is
   * @param message makes one sentence if it is wanted
   */
  public void log(Level level, Supplier<String> message) {
    logger().log(level, message);
  }

  /**
   * As {@link Logger#log(Level, String, Throwable)}.
   *
   * @param level how bad it is
   * @param message one sentence
   * @param cause why
   */
  public void log(Level level, String message, @Nullable Throwable cause) {
    logger().log(level, message, cause);
  }
}
