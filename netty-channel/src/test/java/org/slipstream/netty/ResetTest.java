package org.slipstream.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A reset is never mistaken for the end of the input, at whatever moment of the switch it comes.
 */
@Timeout(240)
class ResetTest {
  private static final int ROUNDS = 40;
  private static final int LENGTH = 1000;

  @ParameterizedTest
  @EnumSource
  void atAnyMomentOfTheSwitchAResetComesBehindTheBytes(Row row) throws Exception {
    Random random = new Random(1);
    for (int i = 0; i < ROUNDS; i++) {
      try (LoopPair pair = row.openFresh()) {
        Recorder client = new Recorder();
        LoopPair.add(pair.client, client);
        LoopPair.add(pair.server, new LoopPair.Echo());
        pair.client.writeAndFlush(Unpooled.wrappedBuffer(new byte[1])).sync();
        await().until(() -> client.count() == 1);
        LockSupport.parkNanos(random.nextInt(4_000_000));

        pair.server.writeAndFlush(Unpooled.wrappedBuffer(new byte[LENGTH])).sync();
        pair.server.config().setOption(ChannelOption.SO_LINGER, 0);
        pair.server.close().sync();

        await().until(() -> client.inactive);
        assertThat(client.count()).as("round %d", i).isEqualTo(1 + LENGTH);
        assertThat(client.failure).as("round %d", i).hasMessage("Connection reset");
      }
    }
  }
}
