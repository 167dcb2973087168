package org.slipstream.testkit.shape;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Extent;

/** A reset is never mistaken for the end, and comes behind what was written before it. */
public interface EveryResetContract extends Shape {

  /** Where a run's chance comes from. */
  Random random();

  @Test
  default void atAnyMomentOfTheSwitchAResetComesBehindTheBytes() throws Exception {
    Random random = random();
    int rounds = Extent.of(120);
    int length = 1000;
    for (int i = 0; i < rounds; i++) {
      Connection pair = freshConnection();
      boolean toClient = random.nextInt(4) > 0 || !everyEndResets();
      End reader = toClient ? pair.client() : pair.server();
      End aborter = toClient ? pair.server() : pair.client();
      Ends.exchange(pair.client(), pair.server(), "there");
      Ends.exchange(pair.server(), pair.client(), "back");
      LockSupport.parkNanos(random.nextInt(4_000_000));

      aborter.write(ByteBuffer.allocate(length));
      aborter.reset();
      if (random.nextBoolean()) {
        Thread.sleep(random.nextInt(6)); // or the reader is there first
      }

      assertThat(Ends.count(reader, length))
          .as("bytes before the reset, round %d", i)
          .isEqualTo(length);
      assertReset(Ends.failure(() -> Ends.readOne(reader)));
      reader.close();
    }
  }
}
