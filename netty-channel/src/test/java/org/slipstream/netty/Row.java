package org.slipstream.netty;

import io.netty.channel.Channel;

/** Who carries the bytes in a test: first Netty NIO, whose behaviour is the measure. */
enum Row {
  STOCK,
  PLAIN,
  RING;

  LoopPair open() throws InterruptedException {
    return switch (this) {
      case STOCK -> LoopPair.stock();
      case PLAIN -> LoopPair.plain();
      case RING -> LoopPair.onRing();
    };
  }

  /** A pair on which no byte was sent. */
  LoopPair openFresh() throws InterruptedException {
    return this == RING ? LoopPair.beforeRing() : open();
  }

  /** A channel that connects, for a loop of that pair. */
  Channel newChannel() {
    return LoopPair.newChannel(this);
  }
}
