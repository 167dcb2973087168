package org.slipstream.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.MemoryEndpoint;

/** Which of two threads has a region that comes when the caller gives up. */
class MapRequestTest {
  private static final int ROUNDS = 20_000;
  private static final int PATIENCE_SECONDS = 60;

  private static MapRequest request() {
    return new MapRequest(
        Owner.process(1),
        new MemoryFrame.Request(MemoryFrame.VERSION, 0, MemoryFrame.NO_SECRET, "r"));
  }

  private static RemoteRegion region() {
    MemoryEndpoint endpoint =
        (MemoryEndpoint)
            Proxy.newProxyInstance(
                MemoryEndpoint.class.getClassLoader(),
                new Class<?>[] {MemoryEndpoint.class},
                (proxy, method, arguments) -> {
                  throw new UnsupportedOperationException(method.getName());
                });
    RemoteRegion.Access access = new RemoteRegion.Access(endpoint, () -> null, Arena.ofShared());
    return new RemoteRegion("r", Owner.process(1), 0, 64, access, () -> {});
  }

  /** A state of the two that the reactor and the caller leave behind, whichever is first. */
  @Test
  void aRegionThatNoCallerGetsIsUnmapped() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    try (ExecutorService reactor = Executors.newSingleThreadExecutor()) {
      for (int i = 0; i < ROUNDS; i++) {
        MapRequest request = request();
        RemoteRegion region = region();
        Future<Boolean> answered =
            reactor.submit(() -> {
              both.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
              return request.answered(region);
            });
        both.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        boolean returned = isReturned(request);
        boolean taken = answered.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(returned || !taken || region.status() == Status.REVOKED)
            .as("round %s: returned %s, taken %s, %s", i, returned, taken, region.status())
            .isTrue();
        region.close();
      }
    }
  }

  private static boolean isReturned(MapRequest request) throws InterruptedException {
    try {
      RemoteRegion _ = request.await(Duration.ofNanos(1));
      return true;
    } catch (IOException e) { // the caller has given up
      return false;
    }
  }
}
