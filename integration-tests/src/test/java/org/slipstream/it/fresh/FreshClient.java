package org.slipstream.it.fresh;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;

/**
 * Connects by every adapter to every adapter again and again until its input has ended and there
 * were connections enough; the arguments are the seed, how many connections are enough, and the
 * server's ports.
 */
public final class FreshClient {
  private static final int THREADS = 12;
  private static final int HTTP_THREADS = 4;
  private static final LongAdder CONNECTIONS = new LongAdder();
  private static volatile boolean inputEnded;
  private static long least;

  private FreshClient() {}

  public static void main(String[] args) throws Exception {
    long seed = Long.parseLong(args[0]);
    least = Long.parseLong(args[1]); // before the threads start
    int[] ports = Arrays.stream(args).skip(2).mapToInt(Integer::parseInt).toArray();
    Thread[] threads = new Thread[THREADS + HTTP_THREADS];
    for (int i = 0; i < threads.length; i++) {
      Random random = new Random(seed + i);
      boolean http = i >= THREADS;
      Thread.Builder builder = i % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
      threads[i] =
          builder.start(() -> {
            if (http) {
              post(random, ports[ports.length - 1]);
            } else {
              ask(random, ports);
            }
          });
    }
    Said.ready("");
    Said.awaitEndOfInput();
    inputEnded = true;
    for (Thread thread : threads) {
      thread.join();
    }
    Said.done(CONNECTIONS.sum());
  }

  private static boolean enough() {
    return inputEnded && CONNECTIONS.sum() >= least;
  }

  private static void ask(Random random, int... ports) {
    Adapter[] adapters = Adapter.values();
    while (!enough()) {
      Adapter here = adapters[random.nextInt(adapters.length)];
      int index = random.nextInt(adapters.length); // the server has a port for each adapter
      Adapter there = adapters[index];
      CONNECTIONS.increment(); // one that fails as well, and is said to
      try (Connection connection = here.connect(ports[index])) {
        Talk.ask(connection, random);
      } catch (IOException | RuntimeException e) {
        Said.early("client " + here + " of " + there, e);
      }
    }
  }

  /** One POST for each connection: the server closes it. */
  private static void post(Random random, int port) {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    URI uri = URI.create("http://127.0.0.1:" + port + "/");
    while (!enough()) {
      byte[] body = new byte[random.nextInt(random.nextInt(40) == 0 ? 100_000 : 1_000)];
      random.nextBytes(body);
      CONNECTIONS.increment();
      try {
        HttpResponse<byte[]> response =
            client.send(
                HttpRequest.newBuilder(uri).POST(BodyPublishers.ofByteArray(body)).build(),
                BodyHandlers.ofByteArray());
        if (response.statusCode() != 200 || !Arrays.equals(body, response.body())) {
          throw new IOException("status " + response.statusCode());
        }
      } catch (IOException e) {
        Said.early("client HTTP", e);
      } catch (InterruptedException e) {
        return;
      }
    }
  }
}
