package org.slipstream.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.Availability;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Refusal;
import org.slipstream.transport.Session;

/**
 * What the core relies on in every {@link Endpoint}: a process that listens is found, and no other.
 */
public abstract class EndpointContract extends PairContract {
  private static final int STOPPED_SECONDS = 4;

  @Test
  public void theTransportSaysThatItIsThere() throws Exception {
    TransportPair pair = open();
    Availability availability = pair.client().transport().availability();
    assertThat(availability.available()).as(availability.toString()).isTrue();
    assertThat(pair.client().transport().name()).matches("[a-z]+");
    assertThat(pair.server().transport().name()).isEqualTo(pair.client().transport().name());
  }

  @Test
  public void itReachesTheOtherProcess() throws Exception {
    TransportPair pair = open();
    assertThat(pair.client().endpoint().reaches(pair.local(), pair.address())).isTrue();
  }

  @Test
  public void anAddressThatIsNotAnnouncedIsNotFound() throws Exception {
    TransportPair pair = open();
    assertThat(pair.find()).isNull();
    assertThat(pair.server().host().openedSessions()).isZero();
  }

  @Test
  public void anAnnouncedAddressIsFound() throws Exception {
    TransportPair pair = connected();
    assertThat(pair.client().session().isOpen()).isTrue();
    assertThat(pair.server().host().openedSessions()).as("one session, said once").isZero();
  }

  @Test
  public void aSessionIsUsedForEveryStream() throws Exception {
    TransportPair pair = connected();
    for (int i = 0; i < 5; i++) {
      assertThat(pair.find()).isSameAs(pair.client().session());
    }
    assertThat(pair.server().host().openedSessions()).isZero();
  }

  @Test
  public void anotherPortIsNotFound() throws Exception {
    TransportPair pair = open();
    InetSocketAddress other =
        new InetSocketAddress(pair.address().getAddress(), pair.address().getPort() == 1 ? 2 : 1);
    try (Closeable announced = pair.server().endpoint().announce(other)) {
      assertThat(announced).isNotNull();
      assertThat(pair.find()).isNull();
    }
  }

  @Test
  public void whatIsAnnouncedTwiceIsFoundUntilBothAreClosed() throws Exception {
    TransportPair pair = open();
    Closeable first = pair.announce();
    Closeable second = pair.announce();
    first.close();
    first.close(); // which is nothing to the other one
    assertThat(pair.find()).as("one listener is left").isNotNull();
    second.close();
  }

  @Test
  public void aClosedListenerIsNotFoundAnyMore() throws Exception {
    TransportPair pair = open();
    pair.announce().close();
    assertThat(pair.find()).isNull();
  }

  /** It is stopped, or its host is overloaded; handshakes end after three seconds. */
  @Test
  public void aProcessThatDoesNotAnswerForAWhileIsFoundLater() throws Exception {
    TransportPair pair = open();
    pair.announce();
    CompletableFuture<Void> stopped =
        new CompletableFuture<Void>().completeOnTimeout(null, STOPPED_SECONDS, TimeUnit.SECONDS);
    pair.server().host().execute(stopped::join);
    Session session = pair.find();
    stopped.complete(null);
    if (session == null) {
      assertThat(pair.client().endpoint().mayFindLater(pair.address())).isTrue();
      if (!pair.client().transport().name().equals("rdma")) { // a host without RDMA is silent, too
        assertThat(pair.refusal()).isEqualTo(Refusal.SILENT);
      }
      Patience.await().until(() -> pair.find() != null);
    }
  }

  @Test
  public void anEndedSessionIsReplaced() throws Exception {
    TransportPair pair = connected();
    Session first = pair.client().session();
    first.abort("a test ends it");
    Patience.await().until(() -> pair.client().host().lost().contains(first));
    Patience.await().until(() -> !pair.server().host().lost().isEmpty());
    Session second = Objects.requireNonNull(pair.find(), "the announced process is found again");
    assertThat(second).isNotSameAs(first);
    assertThat(second.isOpen()).isTrue();
    assertThat(pair.server().host().nextOpened()).isNotNull();
  }
}
