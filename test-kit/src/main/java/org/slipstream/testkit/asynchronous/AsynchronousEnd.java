package org.slipstream.testkit.asynchronous;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.shape.Shape;

/** An asynchronous channel whose caller waits for each future. */
record AsynchronousEnd(AsynchronousSocketChannel channel) implements Shape.End {

  @Override
  public int read(ByteBuffer target) throws Exception {
    return result(channel.read(target));
  }

  @Override
  public void write(ByteBuffer source) throws Exception {
    while (source.hasRemaining()) {
      result(channel.write(source));
    }
  }

  private static int result(Future<Integer> future) throws Exception {
    try {
      return future.get(Background.DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  @Override
  public void shutdownInput() throws IOException {
    channel.shutdownInput();
  }

  @Override
  public void shutdownOutput() throws IOException {
    channel.shutdownOutput();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  @Override
  public void reset() {
    throw new UnsupportedOperationException("an asynchronous channel has no SO_LINGER");
  }

  @Override
  public boolean isOpen() {
    return channel.isOpen();
  }
}
