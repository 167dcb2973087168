package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.TransportSettings;

/** On a machine without rdma_cm: a caller hears so, and no caller waits for ever. */
class RdmaEndpointTest {
  private static final long PATIENCE_S = 60;

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(task -> Thread.ofPlatform().daemon().unstarted(task));
  private final RdmaEndpoint endpoint =
      new RdmaEndpoint(host(), RdmaSettings.read(new Properties()));

  /** Documentation's: no host has it. */
  private final InetSocketAddress address = new InetSocketAddress("192.0.2.1", 4711);

  private TransportHost host() {
    ProcessId id = ProcessId.random();
    Reactor reactor =
        fake(
            Reactor.class,
            (name, arguments) -> {
              if (name.equals("execute") && arguments[0] instanceof Runnable task) {
                thread.execute(task);
              }
              return null;
            });
    return fake(
        TransportHost.class,
        (name, arguments) ->
            switch (name) {
              case "processId" -> id;
              case "reactor" -> reactor;
              case "settings" -> new TransportSettings(null, 4096);
              case "budget" -> new MemoryBudget(0);
              default -> throw new AssertionError(name);
            });
  }

  private interface Answers {
    Object to(String method, Object[] arguments);
  }

  private static <T> T fake(Class<T> type, Answers answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.to(method.getName(), arguments)));
  }

  private static boolean isThere() {
    return Files.exists(Path.of("/dev/infiniband/rdma_cm"));
  }

  @AfterEach
  void close() {
    endpoint.close();
    thread.shutdown();
  }

  @Test
  void announcingFailsWithASentence() {
    if (!isThere()) {
      assertThatThrownBy(() -> endpoint.announce(address))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("RDMA can not be used: ");
    }
  }

  @Test
  void aSearchIsToldThatThereIsNoPeer() throws Exception {
    CompletableFuture<String> answer = new CompletableFuture<>();
    int found =
        thread
            .submit(() ->
                endpoint.findPeers(
                    address,
                    session -> answer.complete("a session"),
                    () -> answer.complete("none")))
            .get(PATIENCE_S, TimeUnit.SECONDS);
    if (found > 0) { // it was not known yet that there is nothing
      assertThat(answer.get(PATIENCE_S, TimeUnit.SECONDS)).isEqualTo("none");
    }
    int again =
        thread
            .submit(() -> endpoint.findPeers(address, session -> {}, () -> {}))
            .get(PATIENCE_S, TimeUnit.SECONDS);
    assertThat(again).isZero();
  }
}
