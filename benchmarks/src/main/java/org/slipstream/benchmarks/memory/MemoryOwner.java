package org.slipstream.benchmarks.memory;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.SplittableRandom;
import org.slipstream.memory.Domain;
import org.slipstream.memory.Region;
import org.slipstream.memory.Right;

/**
 * {@code DIRECTORY BYTES}: exports a region of random words, and serves its bytes to those who ask
 * for them over a stream. Ends with its input.
 *
 * <pre>
 *   request:  offset(8) length(4)      answer:  the bytes
 * </pre>
 */
public final class MemoryOwner {
  /** The name of the region. */
  static final String REGION = "bench";

  /** Bytes of a request. */
  static final int REQUEST_BYTES = 12;

  private MemoryOwner() {}

  /** Says {@code ready PORT} when it can be asked. */
  public static void main(String[] args) throws IOException {
    try (Domain domain = Domain.open(Path.of(args[0]));
        Region region = domain.export(REGION, Long.parseLong(args[1]), EnumSet.of(Right.READ));
        ServerSocketChannel listener = ServerSocketChannel.open()) {
      SplittableRandom random = new SplittableRandom(1);
      MemorySegment memory = region.memory();
      for (long i = 0; i < memory.byteSize() / Long.BYTES; i++) {
        memory.setAtIndex(ValueLayout.JAVA_LONG, i, random.nextLong());
      }
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Thread.ofPlatform().daemon().start(() -> accept(listener, memory.asReadOnly()));
      System.out.println("ready " + ((InetSocketAddress) listener.getLocalAddress()).getPort());
      while (System.in.read() >= 0) {
        // Whatever the driver says, it means the end only when it says no more.
      }
    }
  }

  private static void accept(ServerSocketChannel listener, MemorySegment memory) {
    try {
      while (true) {
        SocketChannel client = listener.accept();
        Thread.ofPlatform().daemon().start(() -> serve(client, memory));
      }
    } catch (IOException e) {
      System.err.println("No more clients: " + e);
    }
  }

  private static void serve(SocketChannel client, MemorySegment memory) {
    ByteBuffer request = ByteBuffer.allocateDirect(REQUEST_BYTES);
    try (client) {
      while (client.read(request.clear()) == REQUEST_BYTES) {
        request.flip();
        ByteBuffer answer = memory.asSlice(request.getLong(), request.getInt()).asByteBuffer();
        while (answer.hasRemaining()) {
          client.write(answer);
        }
      }
    } catch (IOException e) {
      System.err.println("A client has gone: " + e);
    }
  }
}
