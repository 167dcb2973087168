package org.slipstream.rdma;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import java.io.Closeable;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.Session;

/** Endpoints of one process share a device. Runs inside the guest, which loses {@code rxe0}. */
public class RdmaRemovalRow {
  private static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");
  private static final InetSocketAddress ADDRESS = new InetSocketAddress(HOST, 7790);

  @Test
  void allEndpointsOfAProcessLetADeviceGo() throws Exception {
    RdmaSettings settings = RdmaSettings.read(new Properties());
    try (TestHost serverHost = new TestHost();
        TestHost clientHost = new TestHost()) {
      RdmaEndpoint server = new RdmaEndpoint(serverHost, settings);
      RdmaEndpoint client = new RdmaEndpoint(clientHost, settings);
      try (Closeable announced = server.announce(ADDRESS)) {
        assertThat(announced).isNotNull();
        Session session = find(clientHost, client);
        await().until(() -> serverHost.opened.size() == 1);
        run("rdma", "link", "delete", "rxe0"); // returns when no process holds it any more
        await()
            .untilAsserted(() -> {
              assertThat(clientHost.lost).hasSize(1);
              assertThat(serverHost.lost).hasSize(1);
            });
        assertThat(Stream.concat(clientHost.lost.stream(), serverHost.lost.stream()))
            .as("the other one may hear from it first")
            .contains("the device is gone");
        assertThat(session.isOpen()).isFalse();
        run("rdma", "link", "add", "rxe0", "type", "rxe", "netdev", "roce0");
        await()
            .ignoreExceptions()
            .untilAsserted(() -> assertThat(find(clientHost, client).isOpen()).isTrue());
      } finally {
        client.close();
        server.close();
      }
    }
  }

  /**
   * librdmacm keeps the files of a device open that was used once, until the process ends, and the
   * kernel waits for them: the process has to hear of the removal although it uses nothing any
   * more.
   */
  @Test
  void aDeviceThatIsNotUsedAnyMoreGoesToo() throws Exception {
    RdmaSettings settings = RdmaSettings.read(new Properties());
    InetSocketAddress address = new InetSocketAddress(HOST, 7791);
    try (TestHost serverHost = new TestHost();
        TestHost clientHost = new TestHost()) {
      RdmaEndpoint server = new RdmaEndpoint(serverHost, settings);
      RdmaEndpoint client = new RdmaEndpoint(clientHost, settings);
      Closeable announced = server.announce(address);
      Session session =
          clientHost.find(client, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
      await().until(() -> serverHost.opened.size() == 1);
      announced.close();
      session.abort("the test is over");
      client.close();
      server.close();
      await().until(() -> clientHost.lost.size() == 1 && serverHost.lost.size() == 1);
    }
    run("rdma", "link", "delete", "rxe0");
    run("rdma", "link", "add", "rxe0", "type", "rxe", "netdev", "roce0");
  }

  private static Session find(TestHost host, RdmaEndpoint endpoint) throws Exception {
    return host.find(endpoint, ADDRESS).get(Patience.DEADLINE.toSeconds(), SECONDS);
  }

  private static void run(String... words) throws Exception {
    Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
    boolean ended = process.waitFor(Patience.DEADLINE.toSeconds(), SECONDS);
    assertThat(ended).as("%s ends", List.of(words)).isTrue();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.exitValue()).as(output).isZero();
  }
}
