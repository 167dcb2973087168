package org.slipstream.netty;

import io.netty.channel.IoHandle;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.Stream;

/** A channel that only our event loops can serve. */
@SuppressWarnings("try") // Netty's own close() may throw anything
interface StreamHandle extends IoHandle {

  /**
   * The stream that has to be looked at.
   *
   * @return null for a listener
   */
  @Nullable Stream stream();
}
