package org.slipstream.transport;

import java.lang.System.Logger;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * A logger of the platform that is found when something is said, and never throws. To find the
 * first of a process loads more than a hundred classes, at a moment at which the program waits for
 * its first socket. If there is no memory or no descriptor for one of them, the JVM never tries it
 * again, and all that would be said throws from then on: then it is not said, and what the caller
 * was about to do is done.
 *
 * <p>A line names the caller as its source, since the platform passes over every {@link Logger}.
 */
public final class LazyLogger implements Logger {
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

  private Logger found() {
    Logger found = logger;
    if (found == null) {
      found = System.getLogger(name);
      logger = found;
    }
    return found;
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public boolean isLoggable(Level level) {
    try {
      return found().isLoggable(level);
    } catch (RuntimeException | Error unsaid) {
      return false;
    }
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String text,
      @Nullable Throwable thrown) {
    try {
      found().log(level, bundle, text, thrown);
    } catch (RuntimeException | Error unsaid) {
      return;
    }
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String format,
      @Nullable Object... values) {
    try {
      found().log(level, bundle, format, values);
    } catch (RuntimeException | Error unsaid) {
      return;
    }
  }
}
