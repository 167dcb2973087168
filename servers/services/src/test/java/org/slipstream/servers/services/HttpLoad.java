package org.slipstream.servers.services;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.Random;
import org.slipstream.servers.Loop;

/** Requests of the JDK's client on one connection; each answer and its version are compared. */
public final class HttpLoad {
  private static final int BYTES = 1000;

  private HttpLoad() {}

  /**
   * {@code PORT HTTP_1_1|HTTP_2}.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
    Version version = Version.valueOf(args[1]);
    URI uri = URI.create("http://127.0.0.1:" + args[0] + "/");
    Random random = new Random(1);
    byte[] body = new byte[BYTES];
    try (HttpClient client = HttpClient.newBuilder().version(version).build()) {
      // The first request upgrades the connection; a server need not do that with a body to come.
      client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding());
      Loop.serve(
          1,
          () -> {
            random.nextBytes(body);
            HttpResponse<byte[]> answer = postOrRepeat(client, uri, body);
            if (!Arrays.equals(body, answer.body()) || answer.version() != version) {
              throw new IllegalStateException("another answer came back: " + answer);
            }
          });
    }
  }

  /**
   * The JDK's client drops a pooled HTTP/1.1 connection at times, if an answer comes before its
   * selector thread has changed the connection's reader (JDK-8357639, "Data received while in
   * pool"), on TCP as well: a request is made once more.
   */
  private static HttpResponse<byte[]> postOrRepeat(HttpClient client, URI uri, byte[] body)
      throws IOException, InterruptedException {
    try {
      return post(client, uri, body);
    } catch (IOException e) {
      System.err.println("A request is made once more: " + e);
      return post(client, uri, body);
    }
  }

  private static HttpResponse<byte[]> post(HttpClient client, URI uri, byte[] body)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(uri).POST(BodyPublishers.ofByteArray(body)).build(),
        BodyHandlers.ofByteArray());
  }
}
