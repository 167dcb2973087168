package org.slipstream.core.stream;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slipstream.testkit.StubChannel;

/** A TCP connection that can only be written to, and does with that what the test wants. */
final class FakeConnection extends StubChannel {

  /** What the kernel does. */
  @FunctionalInterface
  interface Write {
    int write(ByteBuffer src) throws IOException;
  }

  private final Write write;

  FakeConnection(Write write) {
    this.write = write;
  }

  @Override
  public int write(ByteBuffer src) throws IOException {
    return write.write(src);
  }

  @Override
  public int read(ByteBuffer dst) {
    throw new UnsupportedOperationException();
  }
}
