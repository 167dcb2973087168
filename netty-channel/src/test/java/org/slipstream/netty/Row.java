package org.slipstream.netty;

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
}
