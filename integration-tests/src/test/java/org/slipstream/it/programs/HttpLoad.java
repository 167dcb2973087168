package org.slipstream.it.programs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.Random;

/** Asks a server that echoes bodies, with both of the JDK's HTTP clients. */
final class HttpLoad {
  private static final int REQUESTS = 150;
  private static final int LARGEST = 40_000;

  private HttpLoad() {}

  /** Plays the part that the arguments name, which is not the server's. */
  static void run(String... args) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + args[1] + "/echo");
    if (args[0].equals("load")) {
      HttpClient client = client();
      Load.serve(() -> () -> postOrRepeat(client, uri, new byte[Load.MESSAGE]));
    }
    check(uri);
  }

  private static HttpClient client() {
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  private static void post(HttpClient client, URI uri, byte[] body)
      throws IOException, InterruptedException {
    HttpResponse<byte[]> response =
        client.send(
            HttpRequest.newBuilder(uri).POST(BodyPublishers.ofByteArray(body)).build(),
            BodyHandlers.ofByteArray());
    check(response.statusCode(), body, response.body());
  }

  /**
   * Under load the JDK's client drops a pooled connection at times, on TCP as well; how often is in
   * the table.
   */
  private static void postOrRepeat(HttpClient client, URI uri, byte[] body)
      throws IOException, InterruptedException {
    try {
      post(client, uri, body);
    } catch (IOException e) {
      Load.repeated();
      post(client, uri, body);
    }
  }

  private static void check(URI uri) throws IOException, InterruptedException {
    Random random = new Random(1);
    HttpClient client = client();
    for (int i = 0; i < REQUESTS; i++) {
      post(client, uri, body(random));
    }
    for (int i = 0; i < REQUESTS; i++) {
      byte[] body = body(random);
      HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
      connection.setDoOutput(true);
      connection.setFixedLengthStreamingMode(body.length);
      try (OutputStream out = connection.getOutputStream()) {
        out.write(body);
      }
      try (InputStream in = connection.getInputStream()) {
        check(connection.getResponseCode(), body, in.readAllBytes());
      }
    }
    Role.done(2 * REQUESTS + " requests");
    client.close();
  }

  private static byte[] body(Random random) {
    byte[] body = new byte[1 + random.nextInt(LARGEST)];
    random.nextBytes(body);
    return body;
  }

  private static void check(int status, byte[] body, byte[] echoed) throws IOException {
    if (status != 200 || !Arrays.equals(body, echoed)) {
      throw new IOException("status " + status + ", " + echoed.length + " of " + body.length);
    }
  }
}
