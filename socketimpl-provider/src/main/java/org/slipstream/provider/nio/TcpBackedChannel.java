package org.slipstream.provider.nio;

import java.nio.channels.SelectableChannel;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.Stream;

/** A channel of ours: selectors listen to its TCP connection. */
interface TcpBackedChannel {

  /** The channel of the JDK's own provider underneath. */
  SelectableChannel tcp();

  /**
   * The stream whose ring has to be looked at.
   *
   * @return null for a listener
   */
  default @Nullable Stream stream() {
    return null;
  }

  /** The keys that selectors made for this channel and have not flushed. */
  LiveKeys liveKeys();
}
