package org.slipstream.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;
import org.slipstream.transport.Link;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/** What the core relies on in every {@link Session}: frames, hostile words, one clear end. */
public abstract class SessionContract extends PairContract {

  /** Repeats a run of the random bytes. */
  @RegisterExtension final Seed seed = new Seed();

  @Test
  public void eachEndKnowsTheOther() throws Exception {
    TransportPair pair = connected();
    Session near = pair.client().session();
    Session far = pair.server().session();
    assertThat(near.peer()).isEqualTo(pair.server().host().processId());
    assertThat(far.peer()).isEqualTo(pair.client().host().processId());
    assertThat(near.transportName()).isEqualTo(pair.client().transport().name());
    assertThat(near.isOpen()).isTrue();
    assertThat(far.isOpen()).isTrue();
    assertThat(near.isSamePeer(near)).isTrue();
  }

  @Test
  public void framesArriveWholeAndInOrder() throws Exception {
    TransportPair pair = connected();
    ByteBuffer frame = ByteBuffer.allocate(Session.MAX_FRAME_BYTES);
    for (TransportPair.Side[] way :
        new TransportPair.Side[][] {
          {pair.client(), pair.server()}, {pair.server(), pair.client()}
        }) {
      for (int i = 0; i < 500; i++) {
        way[0].session().send(fill(frame, i));
        fill(frame, -1); // it has been copied
      }
      for (int i = 0; i < 500; i++) {
        assertThat(way[1].host().nextFrame(way[1].session()))
            .as("frame %d", i)
            .isEqualTo(fill(frame, i));
      }
    }
  }

  private static ByteBuffer fill(ByteBuffer frame, int number) {
    int length = Math.floorMod(number * 37, Session.MAX_FRAME_BYTES - Integer.BYTES + 1);
    frame.clear().putInt(number);
    for (int i = 0; i < length; i++) {
      frame.put((byte) (number + i));
    }
    return frame.flip();
  }

  @Test
  public void framesOfEachThreadAreInOrder() throws Exception {
    TransportPair pair = connected();
    int threads = 4;
    int each = 200;
    List<Thread> senders = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int thread = t;
      senders.add(
          Thread.startVirtualThread(() -> {
            for (int i = 0; i < each; i++) {
              pair.client().session().send(ByteBuffer.allocate(8).putInt(thread).putInt(i).flip());
            }
          }));
    }
    int[] next = new int[threads];
    for (int i = 0; i < threads * each; i++) {
      ByteBuffer frame =
          Objects.requireNonNull(
              pair.server().host().nextFrame(pair.server().session()), "one frame more");
      int thread = frame.getInt();
      assertThat(frame.getInt()).as("a frame of thread %d", thread).isEqualTo(next[thread]++);
    }
    for (Thread sender : senders) {
      sender.join();
    }
  }

  /** A peer that is stopped, or busy, must not stop us. */
  @Test
  public void sendingDoesNotWaitForThePeer() throws Exception {
    TransportPair pair = connected();
    CountDownLatch blocked = new CountDownLatch(1);
    pair.server()
        .host()
        .execute(() -> {
          try {
            blocked.await(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    Thread sender =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              for (int i = 0; i < 2000; i++) {
                pair.client().session().send(fill(ByteBuffer.allocate(1024), i));
              }
            });
    assertThat(sender.join(Patience.DEADLINE.dividedBy(2)))
        .as("send() returned although the peer reads nothing")
        .isTrue();
    assertThat(pair.client().host().call(() -> 1)).as("the reactor goes on").isEqualTo(1);
    blocked.countDown();
    for (int i = 0; i < 2000; i++) {
      assertThat(pair.server().host().nextFrame(pair.server().session()))
          .as("frame %d, once the peer reads", i)
          .isEqualTo(fill(ByteBuffer.allocate(1024), i));
    }
  }

  @Test
  public void aDescriptorOfRandomBytesIsAnIoExceptionOrALinkThatIsNotUsed() throws Exception {
    TransportPair pair = connected();
    Window own = pair.client().window();
    Random random = seed.random();
    for (int i = 0; i < 300; i++) {
      byte[] nonsense = new byte[random.nextInt(33)];
      random.nextBytes(nonsense);
      if (random.nextBoolean()) {
        Arrays.fill(nonsense, 0, nonsense.length / 2, (byte) 0);
      }
      pair.client()
          .host()
          .call(() -> {
            try {
              Link link = pair.client().session().join(own, ByteBuffer.wrap(nonsense));
              link.release();
            } catch (IOException e) {
              assertThat(e.getMessage()).as("a sentence that says what is wrong").isNotBlank();
            }
            return null;
          });
    }
    assertThat(pair.client().session().isOpen())
        .as("one wrong offer does not end the session")
        .isTrue();
  }

  @Test
  public void aFrameOfNonsenseEndsTheSessionAtBothEnds() throws Exception {
    TransportPair pair = connected();
    pair.server().host().refuseFrames();
    pair.client().session().send(ByteBuffer.allocate(8));
    assertLostOnce(pair);
  }

  @Test
  public void aSessionEndsOnceAtBothEnds() throws Exception {
    TransportPair pair = connected();
    pair.client().session().abort("a test ends it");
    pair.client().session().abort("and again");
    assertLostOnce(pair);
    Session ended = pair.client().session();
    ended.send(ByteBuffer.allocate(8)); // harmless
    assertThatThrownBy(() -> pair.client().window())
        .as("a window of a session that is over")
        .isInstanceOf(IOException.class);
  }

  @Test
  public void aWindowThatCanNotBeShownToAPeerThatHasGoneIsNoWantOfMemory() throws Exception {
    TransportPair pair = connected();
    Session session = pair.client().session();
    pair.client()
        .host()
        .call(() -> { // it can not hear of the end meanwhile
          pair.server().session().abort("a test ends it");
          Patience.await().until(() -> pair.server().host().lost().size() == 1);
          try {
            session.allocateWindow();
          } catch (IOException e) {
            assertThat(session.isOpen()).as("open, although " + e.getMessage()).isFalse();
          }
          return null;
        });
    assertLostOnce(pair);
  }

  private static void assertLostOnce(TransportPair pair) throws Exception {
    for (TransportPair.Side side : List.of(pair.client(), pair.server())) {
      Patience.await()
          .untilAsserted(() ->
              assertThat(side.host().lost())
                  .as("each end hears sessionLost, once, with its own session")
                  .containsExactly(side.session()));
      assertThat(side.session().isOpen()).isFalse();
      side.host().call(() -> null);
      assertThat(side.host().lost()).hasSize(1);
    }
  }

  @Test
  public void theEndOfAProcessEndsItsSessions() throws Exception {
    TransportPair pair = connected();
    pair.server().endpoint().close();
    pair.server().session().abort("the process leaves");
    Patience.await()
        .untilAsserted(
            () -> assertThat(pair.client().host().lost()).contains(pair.client().session()));
  }
}
