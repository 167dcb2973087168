package org.slipstream.testkit.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.StaysPlain;

/** Urgent data is discarded, or comes in its place if the reader wants it. */
public abstract class UrgentContract extends SocketContract {

  /** Nothing is opened yet. */
  protected UrgentContract() {}

  @StaysPlain("an urgent byte before the switch keeps a stream on TCP")
  @Test
  void urgentDataComesInItsPlace() throws Exception {
    Ends ends = freshPair();
    ends.server().setOOBInline(true);

    send(ends.client(), "a");
    ends.client().sendUrgentData('!');
    send(ends.client(), "b");

    assertThat(receive(ends.server(), 3)).isEqualTo("a!b");
    talk(ends);
  }

  @Test
  void urgentDataIsDiscardedByDefault() throws Exception {
    Ends ends = freshPair();

    send(ends.client(), "a");
    ends.client().sendUrgentData('!');
    send(ends.client(), "b");

    assertThat(receive(ends.server(), 2)).isEqualTo("ab");
    talk(ends);
  }

  @StaysPlain("an urgent byte before the switch keeps a stream on TCP")
  @Test
  void urgentDataOnAUsedStreamComesInItsPlaceIfAskedForBefore() throws Exception {
    Ends ends = freshPair();
    ends.server().setOOBInline(true);
    for (int i = 0; i < 100; i++) {
      talk(ends);
      send(ends.client(), "x");
      ends.client().sendUrgentData(i);
      send(ends.client(), "y");
      byte[] three = ends.server().getInputStream().readNBytes(3);
      assertThat(three).containsExactly('x', i, 'y');
    }
  }

  @Test
  void urgentDataOnASettledStreamIsDiscarded() throws Exception {
    Ends ends = settledPair();
    for (int i = 0; i < 20; i++) {
      send(ends.client(), "x");
      ends.client().sendUrgentData('!');
      send(ends.client(), "y");
      assertThat(receive(ends.server(), 2)).isEqualTo("xy");
      talk(ends);
    }
  }

  @Test
  void urgentDataDoesNotWakeAReaderThatDoesNotWantIt() throws Exception {
    Ends ends = settledPair();
    Background<Integer> read =
        Background.call(() -> ends.server().getInputStream().read()).awaitBlocked();

    ends.client().sendUrgentData('!');
    Thread.sleep(A_WHILE);

    assertThat(read.isDone()).isFalse();
    send(ends.client(), "x");
    assertThat(read.result()).isEqualTo('x');
  }

  @StaysPlain("an urgent byte before the switch keeps a stream on TCP")
  @Test
  void urgentDataGoesBothWaysAmongOtherBytes() throws Exception {
    Ends ends = freshPair();
    ends.client().setOOBInline(true);
    ends.server().setOOBInline(true);
    BooleanSupplier odd =
        new BooleanSupplier() {
          private int n;

          @Override
          public boolean getAsBoolean() {
            return ++n % 2 == 1;
          }
        };
    Background<@Nullable Void> there =
        Background.run(() -> {
          for (int i = 0; i < 200; i++) {
            if (odd.getAsBoolean()) {
              ends.client().getOutputStream().write(i);
            } else {
              ends.client().sendUrgentData(i);
            }
          }
        });
    for (int i = 0; i < 200; i++) {
      assertThat(ends.server().getInputStream().read()).isEqualTo(i & 0xff);
      ends.server().sendUrgentData(i);
      assertThat(ends.client().getInputStream().read()).isEqualTo(i & 0xff);
    }
    there.result();
  }
}
