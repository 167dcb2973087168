package org.slipstream.netty;

import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoOps;
import java.nio.channels.SelectionKey;

/** Ready operations; all combinations are made once. */
record ReadyEvent(NioIoOps ops) implements NioIoEvent {
  private static final int ALL =
      SelectionKey.OP_READ
          | SelectionKey.OP_WRITE
          | SelectionKey.OP_CONNECT
          | SelectionKey.OP_ACCEPT;

  private static final ReadyEvent[] EVENTS = new ReadyEvent[ALL + 1];

  static {
    for (int i = 0; i < EVENTS.length; i++) {
      EVENTS[i] = new ReadyEvent(NioIoOps.valueOf(i));
    }
  }

  static ReadyEvent of(int ops) {
    return EVENTS[ops & ALL];
  }
}
