package org.slipstream.rdma.verbs;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slipstream.transport.LazyLogger;

/** A native object that is destroyed once. */
abstract class Resource implements AutoCloseable {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");

  private final AtomicBoolean closed = new AtomicBoolean();

  /** Destroys it. */
  abstract void destroy() throws IOException;

  final boolean isClosed() {
    return closed.get();
  }

  /** Idempotent. A failure is logged: there is nothing that the caller could do. */
  @Override
  public final void close() {
    if (closed.compareAndSet(false, true)) {
      try {
        destroy();
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "Closing a " + getClass().getSimpleName(), e);
      }
    }
  }
}
