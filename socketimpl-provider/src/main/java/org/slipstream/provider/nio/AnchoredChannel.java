package org.slipstream.provider.nio;

import java.nio.channels.SelectableChannel;
import java.util.List;

/** A channel of ours: selectors listen to its anchor. */
interface AnchoredChannel {

  /** The channel of the JDK's own provider underneath. */
  SelectableChannel anchor();

  /** The keys that selectors made for this channel and have not flushed. */
  List<SlipstreamSelectionKey> liveKeys();
}
