package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TupleTest {
  private static final int FIRST_PORT = 32_768;
  private static final int LAST_PORT = 60_999;

  private static Tuple of(String client, int clientPort, String server) throws IOException {
    return Tuple.of(
        new InetSocketAddress(InetAddress.getByName(client), clientPort),
        new InetSocketAddress(InetAddress.getByName(server), 80));
  }

  @Test
  void bothEndsSayTheSameInBytes() throws IOException {
    Tuple mine = of("127.0.0.1", 40_000, "::ffff:127.0.0.1");
    ByteBuffer bytes = ByteBuffer.allocate(Tuple.BYTES);
    mine.put(bytes);
    assertThat(Tuple.get(bytes.flip())).isEqualTo(mine).hasSameHashCodeAs(mine);
    assertThat(mine).isNotEqualTo(of("127.0.0.1", 40_001, "127.0.0.1"));
  }

  @Test
  void theConnectionsOfOneClientHaveHashesOfTheirOwn() throws IOException {
    Set<Integer> hashes = new HashSet<>();
    for (int port = FIRST_PORT; port <= LAST_PORT; port++) {
      hashes.add(of("127.0.0.1", port, "127.0.0.1").hashCode());
    }
    assertThat(hashes).hasSize(LAST_PORT - FIRST_PORT + 1);
  }
}
