package org.slipstream.rdma;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.slipstream.testkit.Patience.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.slipstream.rdma.cm.CmId;
import org.slipstream.rdma.verbs.Poller;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.Session;

/**
 * What the event thread has to live with. Runs inside the guest, behind the other rows of its JVM:
 * librdmacm keeps what it can not close.
 *
 * <p>A descriptor that is broken while the thread sleeps is noticed when it has slept: the kernel
 * keeps the file for as long as a thread waits for it, so events still come. A message is one.
 */
public class RdmaEventsRow extends RdmaEndpoints {
  /** The kernel takes the events of a queue back when it is destroyed. */
  @Test
  void aSessionThatEndsWhileItsEventsWaitHoldsNoOtherUp() throws Exception {
    Session session = connect();
    RdmaSession accepted = (RdmaSession) accepted();
    try (TestHost otherHost = new TestHost()) { // on the same device, and silent
      RdmaEndpoint other = new RdmaEndpoint(otherHost, DEFAULTS);
      Session second = otherHost.find(other, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
      await().until(() -> serverHost.opened.size() == 2);
      CountDownLatch goOn = new CountDownLatch(1);
      holdUp(accepted.events(), goOn);
      session.send(ByteBuffer.allocate(4));
      session.abort("the peer has said something and gone");
      int completions = accepted.connection().channel().descriptor();
      int connections = accepted.events().channel().descriptor();
      await().until(() -> Poller.isReadable(completions) && Poller.isReadable(connections));
      goOn.countDown();
      await().until(() -> serverHost.lost.size() == 1);
      assertGoesOn(accepted.events());
      second.abort("the test is over");
      other.close();
    }
  }

  @Test
  void sessionsWhoseCompletionsAreNotHeardOfAnyMoreEnd() throws Throwable {
    Session session = connect();
    RdmaSession accepted = (RdmaSession) accepted();
    Natives.breakReads(accepted.connection().channel().descriptor());
    session.send(ByteBuffer.allocate(4));
    await()
        .untilAsserted(
            () -> assertThat(serverHost.lost).containsExactly("its completions are not heard"));
    assertGoesOn(accepted.events());
    await().until(() -> clientHost.lost.size() == 1);
    serverHost.opened.clear();
    assertThat(connect().isOpen()).as("with a channel of its own").isTrue();
  }

  @Test
  void withoutTheConnectionManagerSessionsEndAndNoMoreAreMade() throws Throwable {
    Session session = connect();
    RdmaSession accepted = (RdmaSession) accepted();
    Natives.breakWrites(accepted.events().channel().descriptor());
    session.send(ByteBuffer.allocate(4));
    await()
        .untilAsserted(() ->
            assertThat(serverHost.lost)
                .singleElement()
                .asString()
                .startsWith("rdma_cm is not heard of any more"));
    assertGoesOn(accepted.events());
    InetSocketAddress other = new InetSocketAddress(HOST, address.getPort() + 3);
    assertThatThrownBy(() -> server.announce(other))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("rdma_cm is not heard of any more");
  }

  private static void assertGoesOn(EventThread events) throws Exception {
    CompletableFuture<Boolean> alive = new CompletableFuture<>();
    events.execute(() -> alive.complete(true));
    assertThat(alive.get(Patience.DEADLINE.toSeconds(), SECONDS)).isTrue();
  }

  /** As after a long cut: the goodbye did not arrive. */
  @Test
  void aSessionThatOnlyThePeerStillHasIsReplaced() throws Exception {
    RdmaSession first = (RdmaSession) connect();
    Session old = accepted();
    CompletableFuture<CmId> silent = new CompletableFuture<>();
    first.events().execute(() -> silent.complete(first.endSilently("lost in silence")));
    CmId id = silent.get(Patience.DEADLINE.toSeconds(), SECONDS);
    await().until(() -> clientHost.lost.size() == 1);
    assertThat(old.isOpen()).as("the peer knows nothing of it").isTrue();
    serverHost.opened.clear();
    Session second = connect();
    assertThat(second).isNotSameAs(first);
    assertThat(old.isOpen()).isFalse();
    await()
        .untilAsserted(
            () -> assertThat(serverHost.lost).containsExactly("the peer has lost the session"));
    Joined joined = join(second, 0);
    joined.link().publish(0, 7);
    joined.link().flush();
    assertThat(word(joined.there(), 0)).isEqualTo(7);
    first.events().execute(id::close);
  }
}
