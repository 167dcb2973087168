package org.slipstream.ntb;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;

/** Gives back what a driver may refuse to take. */
final class Quietly {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.ntb");

  private Quietly() {}

  static void close(@Nullable AutoCloseable resource) {
    try {
      if (resource != null) {
        resource.close();
      }
    } catch (Exception | OutOfMemoryError e) { // what the caller closes behind it is not kept too
      LOG.log(Level.DEBUG, "The driver will take it back when the process ends", e);
    }
  }
}
