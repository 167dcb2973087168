package org.slipstream.core.identity;

import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.RawWriteProbe;

/** By what the two ends of a connection know it, beside its addresses. */
public interface ConnectionNames {

  /**
   * Whether connections of this process can have names. Cheap; any thread.
   *
   * @return false without the agent
   */
  boolean areKnown();

  /**
   * The first segment of an accepted connection. The kernel gives it once. Reactor.
   *
   * @param tcp the connection
   * @return null if the kernel has not kept it, or the connection is being closed
   */
  @Nullable SegmentHead firstSegment(SocketChannel tcp);

  /**
   * What finds out the name of a connection by a write of its program. Called on the reactor: links
   * functions of the C library at the first time.
   *
   * @param madeAt {@link System#nanoTime} before the connection was made
   * @param told once, by the program's thread, under the write lock
   * @return null if that can not be found out
   */
  @Nullable RawWriteProbe probe(long madeAt, Consumer<ConnectionName> told);
}
