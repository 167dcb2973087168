package org.slipstream.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

/** Messages over a socket whose other end sends what it likes, in pieces that it likes. */
class FrameSocketPropertyTest {
  private Path directory;
  private SocketChannel wire;
  private SocketChannel ours;
  private FrameSocket socket;

  @BeforeTry
  void connect() throws IOException {
    directory = Files.createTempDirectory("frames");
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("s"));
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(address);
      wire = SocketChannel.open(address);
      ours = listener.accept();
    }
    ours.configureBlocking(false);
    wire.configureBlocking(false);
    socket = new FrameSocket(ours);
  }

  @AfterTry
  void close() throws IOException {
    wire.close();
    ours.close();
    Files.delete(directory.resolve("s"));
    Files.delete(directory);
  }

  private static ByteBuffer body(int size) {
    ByteBuffer b = ByteBuffer.allocate(size);
    for (int i = 0; i < size; i++) {
      b.put(i, (byte) (i * 7 + size));
    }
    return b;
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void messagesArriveWholeHoweverTheyAreCut(
      @ForAll @Size(min = 1, max = 12) List<@IntRange(max = Wire.MAX_BODY) Integer> sizes,
      @ForAll @IntRange(min = 1, max = 3_000) int cut)
      throws IOException {
    ByteBuffer all = ByteBuffer.allocate(sizes.size() * (Wire.HEADER_BYTES + Wire.MAX_BODY));
    for (int size : sizes) {
      all.put(Wire.message(Wire.FRAME, body(size)));
    }
    all.flip();
    List<Integer> received = new ArrayList<>();
    while (all.hasRemaining()) {
      int n = Math.min(cut, all.remaining());
      wire.write(all.slice(all.position(), n));
      all.position(all.position() + n);
      assertThat(
              socket.receive((kind, b) -> {
                assertThat(kind).isEqualTo(Wire.FRAME);
                assertThat(b).isEqualTo(body(b.remaining()));
                received.add(b.remaining());
              }))
          .isTrue();
    }
    assertThat(received).isEqualTo(sizes);
  }

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void anyBytesAreMessagesOrAnIoException(@ForAll @Size(max = 4_000) byte[] bytes)
      throws IOException {
    wire.write(ByteBuffer.wrap(bytes));
    wire.shutdownOutput();
    try {
      socket.receive((kind, b) -> assertThat(b.remaining()).isBetween(0, Wire.MAX_BODY));
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("bytes was announced");
    }
  }

  @Example
  void aMessageThatIsTooLongIsRefusedBeforeItComes() throws IOException {
    wire.write(ByteBuffer.allocate(5).putInt(Wire.MAX_BODY + 1).put(Wire.FRAME).flip());
    assertThatThrownBy(() -> socket.receive((kind, b) -> {}))
        .isInstanceOf(IOException.class)
        .hasMessage("A message of 1025 bytes was announced");
  }

  @Example
  void theEndOfTheStreamIsToldOnce() throws IOException {
    wire.write(Wire.message(Wire.FRAME, body(3)));
    wire.close();
    List<Integer> received = new ArrayList<>();
    assertThat(socket.receive((kind, b) -> received.add(b.remaining()))).isFalse();
    assertThat(received).containsExactly(3);
  }

  @Example
  void whatTheSocketDoesNotTakeIsQueuedAndSentInOrder() throws IOException {
    socket.connected();
    int messages = 0;
    while (socket.queuedBytes() < 100_000) {
      socket.send(Wire.message(Wire.FRAME, ByteBuffer.allocate(4).putInt(messages++).flip()));
    }
    assertThat(socket.isIdle()).isFalse();
    FrameSocket reader = new FrameSocket(wire);
    List<Integer> received = new ArrayList<>();
    while (received.size() < messages) {
      reader.receive((kind, b) -> received.add(b.getInt()));
      socket.flush();
    }
    for (int i = 0; i < messages; i++) {
      assertThat(received.get(i)).isEqualTo(i);
    }
    assertThat(socket.isIdle()).isTrue();
    assertThat(socket.queuedBytes()).isZero();
  }

  @Example
  void whatIsSentBeforeTheConnectWaits() throws IOException {
    socket.send(Wire.message(Wire.FRAME, body(4)));
    assertThat(wire.read(ByteBuffer.allocate(10))).isZero();
    socket.connected();
    assertThat(wire.read(ByteBuffer.allocate(10))).isEqualTo(9);
  }
}
