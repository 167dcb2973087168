package org.slipstream.rdma;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.slipstream.testkit.Patience.await;

import java.io.Closeable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Refusal;
import org.slipstream.transport.Session;

/**
 * Processes that reach the fabric and have nothing to do with the program: what they can take, and
 * whom they can harm. Runs inside the guest.
 */
public class RdmaUnprovenPeerRow extends RdmaEndpoints {
  private static final FabricKey KEY = FabricKey.of("sixteen bytes and some more".getBytes(UTF_8));
  private static final FabricKey OTHER = FabricKey.of("others have another one".getBytes(UTF_8));

  /** As many as took everything that a process may lock by default. */
  private static final int FLOOD = 22;

  @Test
  void aFloodOfUnprovenPeersTakesLittleAndNotForLong() throws Exception {
    serverHost.trusting = false;
    List<TestHost> hosts = new ArrayList<>();
    List<RdmaEndpoint> unprovenPeers = new ArrayList<>();
    try {
      List<CompletableFuture<Session>> asked = new ArrayList<>();
      for (int i = 0; i < FLOOD; i++) {
        TestHost host = new TestHost();
        RdmaEndpoint unproven = new RdmaEndpoint(host, DEFAULTS);
        hosts.add(host);
        unprovenPeers.add(unproven);
        asked.add(host.find(unproven, address));
      }
      List<Refusal> refusals = new ArrayList<>();
      for (int i = 0; i < FLOOD; i++) {
        if (isRefused(asked.get(i))) {
          refusals.add(hosts.get(i).refusal(unprovenPeers.get(i), address));
        }
        assertThat(serverHost.budget().usedBytes())
            .isLessThanOrEqualTo(Door.MAX_UNEXPECTED_OF_ADDRESS * Connection.mostPinnedBytes());
      }
      assertThat(refusals).isNotEmpty().containsOnly(Refusal.BUSY);
      await().untilAsserted(() -> assertThat(serverHost.budget().usedBytes()).isZero());
      assertThat(serverHost.lost)
          .isNotEmpty()
          .allMatch(why -> why.startsWith("no TCP connection of "));
      serverHost.opened.clear();
      serverHost.trusting = true;
      assertThat(connect().isOpen()).isTrue();
    } finally {
      for (int i = 0; i < unprovenPeers.size(); i++) {
        unprovenPeers.get(i).close();
        hosts.get(i).close();
      }
    }
  }

  private static boolean isRefused(CompletableFuture<Session> asked) throws Exception {
    try {
      asked.get(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS);
      return false;
    } catch (ExecutionException e) {
      assertThat(e).hasMessageContaining("no peer at");
      return true;
    }
  }

  /** A process tells its id to each peer that connects to it. */
  @Test
  void aPeerThatKnowsTheIdOfAProcessEndsNoSessionOfIt() throws Exception {
    Session session = connect();
    Joined joined = join(session, 0);
    try (TestHost unprovenHost = TestHost.sayingToBe(clientHost.processId())) {
      RdmaEndpoint unproven = new RdmaEndpoint(unprovenHost, DEFAULTS);
      Session other =
          unprovenHost.find(unproven, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
      assertThat(other.isOpen()).isTrue();
      joined.link().publish(0, 7);
      joined.link().flush();
      assertThat(joined.link().isBroken()).isFalse();
      assertThat(word(joined.there(), 0)).isEqualTo(7);
      assertThat(session.isOpen()).isTrue();
      assertThat(serverHost.lost).isEmpty();
      assertThat(clientHost.lost).isEmpty();
      other.abort("the test is over");
      unproven.close();
    }
  }

  /** It is there first, and says that it is us. */
  @Test
  void aPeerThatSaysToBeAnotherProcessKeepsItOutOfNothing() throws Exception {
    try (TestHost unprovenHost = TestHost.sayingToBe(clientHost.processId())) {
      RdmaEndpoint unproven = new RdmaEndpoint(unprovenHost, DEFAULTS);
      Session first =
          unprovenHost.find(unproven, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
      Session ours = clientHost.find(client, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
      assertThat(ours.isOpen()).isTrue();
      await().untilAsserted(() -> assertThat(serverHost.opened).hasSize(2));
      first.abort("the test is over");
      unproven.close();
    }
  }

  /** Else it could offer connections of a relay, and be taken for any process whose id it knows. */
  @Test
  void aSessionSpeaksOnlyForTheAddressThatItComesFrom() throws Exception {
    InetAddress here = InetAddress.ofLiteral(HOST);
    InetAddress second = InetAddress.ofLiteral(System.getProperty("slipstream.test.address2"));
    Session first = connect();
    Session other =
        clientHost.find(client, second, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
    assertThat(other).isNotSameAs(first);
    await().untilAsserted(() -> assertThat(serverHost.opened).hasSize(2));
    Session atFirst = serverHost.opened.get(0);
    Session atOther = serverHost.opened.get(1);
    assertThat(atOther.peer()).isEqualTo(atFirst.peer());
    assertThat(atFirst.speaksFor(here)).isTrue();
    assertThat(atFirst.speaksFor(second)).isFalse();
    assertThat(atOther.speaksFor(second)).isTrue();
    assertThat(atOther.speaksFor(here)).isFalse();
    assertThat(atFirst.isSamePeer(atFirst)).isTrue();
    assertThat(atFirst.isSamePeer(atOther)).isFalse();
    other.abort("the test is over");
  }

  @Test
  void withAKeyOnlyAPeerThatHasItGetsASession() throws Exception {
    InetSocketAddress other = new InetSocketAddress(HOST, address.getPort() + 5);
    try (TestHost keyedHost = new TestHost()) {
      keyedHost.trusting = false; // nothing but the key
      RdmaEndpoint keyed = new RdmaEndpoint(keyedHost, DEFAULTS, KEY);
      try (Closeable listening = keyed.announce(other)) {
        assertThat(listening).isNotNull();
        assertRefused(clientHost, client, other, Refusal.KEY);
        assertRefused(new RdmaEndpoint(clientHost, DEFAULTS, OTHER), other, Refusal.KEY);
        assertRefused(new RdmaEndpoint(clientHost, DEFAULTS, KEY), address, Refusal.KEY);
        assertThat(keyedHost.opened).isEmpty();
        assertThat(keyedHost.budget().usedBytes()).isZero();
        RdmaEndpoint member = new RdmaEndpoint(clientHost, DEFAULTS, KEY);
        Session session =
            clientHost.find(member, other).get(Patience.DEADLINE.toSeconds(), SECONDS);
        assertThat(session.isOpen()).isTrue();
        await().untilAsserted(() -> assertThat(keyedHost.opened).hasSize(1));
        assertThat(((RdmaSession) keyedHost.opened.getFirst()).isProven()).isTrue();
        session.abort("the test is over");
        member.close();
      }
      keyed.close();
    }
  }

  private void assertRefused(RdmaEndpoint asking, InetSocketAddress at, Refusal why)
      throws Exception {
    assertRefused(clientHost, asking, at, why);
    asking.close();
  }

  private static void assertRefused(
      TestHost host, RdmaEndpoint asking, InetSocketAddress at, Refusal why) throws Exception {
    assertThatThrownBy(() -> host.find(asking, at).get(Patience.DEADLINE.toSeconds(), SECONDS))
        .hasMessageContaining("no peer at");
    assertThat(host.refusal(asking, at)).isEqualTo(why);
  }

  @Test
  void aRefusalSaysWhy() throws Exception {
    InetSocketAddress other = new InetSocketAddress(HOST, address.getPort() + 6);
    try (TestHost poorHost = new TestHost(ProcessId.random(), 64 * 1024, 1000)) {
      RdmaEndpoint poor = new RdmaEndpoint(poorHost, DEFAULTS);
      try (Closeable listening = poor.announce(other)) {
        assertThat(listening).isNotNull();
        assertRefused(clientHost, client, other, Refusal.NO_MEMORY_THERE);
      }
      assertRefused(poorHost, poor, address, Refusal.NO_MEMORY_HERE);
      poor.close();
    }
    InetSocketAddress third = new InetSocketAddress(HOST, address.getPort() + 7);
    try (TestHost pickyHost = new TestHost()) {
      RdmaEndpoint picky = new RdmaEndpoint(pickyHost, settings("ports", "mlx5_0"));
      try (Closeable listening = picky.announce(third)) {
        assertThat(listening).isNotNull();
        assertRefused(clientHost, client, third, Refusal.NOT_ALLOWED);
      }
      assertRefused(pickyHost, picky, address, Refusal.NOT_ALLOWED_HERE);
      picky.close();
    }
  }
}
