package org.slipstream.ntb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.WirePage.assertBytes;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slipstream.it.WirePage;
import org.slipstream.transport.ProcessId;

/** Data interrupts and advertisements are as docs/WIRE-PROTOCOL.md draws them. */
class NtbWirePageTest {
  private static final MessageMac MAC = MessageMac.of(new byte[16]);
  private static final int HEAD = 10;

  @Test
  void headsAndBodiesAreAsDrawn() {
    byte[] welcome = Message.welcome(7, 8, 9, 10, MAC);
    assertBytes("ntb HEAD", Arrays.copyOf(welcome, HEAD), Message.WELCOME, Message.VERSION, 7);
    assertThat(Message.wake(7)).hasSize(HEAD);
    assertBody("ntb WELCOME", welcome, 8, 9, 10, MAC.proof(0, before(welcome)));
    byte[] confirm = Message.confirm(7, 11, MAC);
    assertBody("ntb CONFIRM", confirm, MAC.proof(11, before(confirm)));
    ProcessId id = new ProcessId(1, 2);
    ByteBuffer process = ByteBuffer.allocate(ProcessId.BYTES);
    id.put(process);
    byte[] hello = Message.hello(new Node(), 8, 9, id, MAC);
    assertBody("ntb HELLO", hello, 4, 5, 8, 9, process.array(), MAC.proof(0, before(hello)));
  }

  /** What a proof is over: the bytes before it. */
  private static ByteBuffer before(byte[] message) {
    return ByteBuffer.wrap(message, 0, message.length - MessageMac.BYTES);
  }

  private static void assertBody(String name, byte[] message, Object... fields) {
    assertThat(WirePage.rows("bytes " + name).getFirst().getFirst()).isEqualTo("" + HEAD);
    assertBytes(name, message, fields);
  }

  @Test
  void anAdvertisementIsAsDrawn() throws Exception {
    ProcessId id = new ProcessId(1, 2);
    ByteBuffer process = ByteBuffer.allocate(ProcessId.BYTES);
    id.put(process);
    assertBytes(
        "ntb ADVERTISEMENT",
        Advertisement.of(id, 5, InetAddress.getByName("10.1.2.3"), new byte[16]).bytes(),
        0x534C4E54,
        2,
        process.array(),
        5,
        HexFormat.of().parseHex("00000000000000000000ffff0a010203"),
        HexFormat.of().parseHex(WirePage.vector("NTB mark")));
  }

  @Test
  void proofsAndKeysAreThoseOfTheVectors() {
    byte[] confirm = Message.confirm(7, 11, MAC);
    assertThat(HexFormat.of().formatHex(confirm, HEAD, confirm.length))
        .isEqualTo(WirePage.vector("NTB proof"));
    ByteBuffer about = ByteBuffer.allocate(3 * Long.BYTES + 1).putLong(1).putLong(2).putLong(3);
    byte[] key = Objects.requireNonNull(MAC.derive(about.put((byte) 1).flip()));
    assertThat(HexFormat.of().formatHex(key)).isEqualTo(WirePage.vector("NTB session key"));
  }

  @Test
  void aMessageInTheRingIsAsDrawn() {
    assertThat(SessionLayout.padded(0)).isEqualTo(24);
    List<List<String>> rows = WirePage.rows("bytes ntb RECORD");
    assertThat(rows.getLast().getFirst()).isEqualTo(String.valueOf(SessionLayout.HEAD_BYTES));
  }

  /** Node 4 with inbox 5. */
  private static final class Node implements Fabric {
    @Override
    public String via() {
      return "0";
    }

    @Override
    public int node() {
      return 4;
    }

    @Override
    public @Nullable Exported export(int segmentId, long bytes, byte[] content) {
      return null;
    }

    @Override
    public @Nullable Imported connect(int node, int segmentId, boolean bulk) {
      return null;
    }

    @Override
    public int inbox() {
      return 5;
    }

    @Override
    public byte @Nullable [] await(int millis) {
      return null;
    }

    @Override
    public boolean send(int node, int inbox, byte[] message) {
      return false;
    }

    @Override
    public boolean isClosed() {
      return true;
    }

    @Override
    public void close() {}
  }
}
