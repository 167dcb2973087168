package org.slipstream.rdma;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Patience.await;

import java.io.Closeable;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.Link;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/** Two endpoints without a core, and a session between them. */
abstract class RdmaEndpoints {
  static final String HOST = System.getProperty("slipstream.test.address", "127.0.0.1");

  /** Given to this JVM, where the guest has such a device. */
  private static final String IWARP = "slipstream.rdma.iwarp";

  /** Each test has its own: an endpoint of the one before may still be about to stop listening. */
  private static final AtomicInteger PORTS = new AtomicInteger(7800);

  static final RdmaSettings DEFAULTS = settings("ports", "");

  static RdmaSettings settings(String key, String value) {
    Properties properties = new Properties();
    properties.setProperty("slipstream.rdma.iwarp", System.getProperty(IWARP, "false"));
    properties.setProperty("slipstream.rdma." + key, value);
    return RdmaSettings.read(properties);
  }

  final TestHost serverHost = new TestHost();
  final TestHost clientHost = new TestHost();
  final InetSocketAddress address = new InetSocketAddress(HOST, PORTS.getAndAdd(10));
  RdmaEndpoint server;
  RdmaEndpoint client;
  Closeable announced;

  @BeforeEach
  void open() throws Exception {
    server = new RdmaEndpoint(serverHost, DEFAULTS);
    client = new RdmaEndpoint(clientHost, DEFAULTS);
    announced = server.announce(address);
  }

  @AfterEach
  void close() throws Exception {
    announced.close();
    for (Session session : clientHost.opened) {
      session.abort("the test is over");
    }
    client.close();
    server.close();
    serverHost.close();
    clientHost.close();
  }

  Session connect() throws Exception {
    Session session = clientHost.find(client, address).get(Patience.DEADLINE.toSeconds(), SECONDS);
    assertThat(session.peer()).isEqualTo(serverHost.processId());
    await().untilAsserted(() -> assertThat(serverHost.opened).hasSize(1));
    assertThat(serverHost.opened.getFirst().peer()).isEqualTo(clientHost.processId());
    return session;
  }

  Session accepted() {
    return serverHost.opened.getFirst();
  }

  /** A link from the client's end to a window of the server's. */
  record Joined(Link link, Window there) {}

  Joined join(Session session, int keyChange) throws Exception {
    Window there = serverHost.onReactor(accepted()::allocateWindow);
    Window here = clientHost.onReactor(session::allocateWindow);
    ByteBuffer descriptor = ByteBuffer.allocate(32);
    there.descriptor(descriptor);
    descriptor.flip();
    descriptor.putInt(16, descriptor.getInt(16) + keyChange);
    return new Joined(clientHost.onReactor(() -> session.join(here, descriptor)), there);
  }

  /** Returns when the thread does nothing but wait. */
  static void holdUp(EventThread events, CountDownLatch goOn) throws Exception {
    CompletableFuture<Boolean> stopped = new CompletableFuture<>();
    events.execute(() -> {
      stopped.complete(true);
      try {
        goOn.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
    stopped.get(Patience.DEADLINE.toSeconds(), SECONDS);
  }

  static long word(Window window, int offset) {
    return window.control().get(JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), offset);
  }
}
