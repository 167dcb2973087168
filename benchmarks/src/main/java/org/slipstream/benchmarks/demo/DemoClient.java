package org.slipstream.benchmarks.demo;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends numbered requests, one after the other, and compares each answer. It takes a new connection
 * every second, as pools with a maximum age do. It knows nothing of Slipstream.
 *
 * <p>A request whose answer does not come is sent again, so in the end each has its answer, once.
 */
public final class DemoClient {
  private static final long AGE_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long REPORT_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);
  private static final long PAUSE_MS = 20;
  private static final int SMALLEST = Long.BYTES;
  private static final int LARGEST = 256;

  private final int port;
  private long answered;
  private long again;
  private long connections;

  private DemoClient(int port) {
    this.port = port;
  }

  /**
   * Runs until its standard input ends or has a byte.
   *
   * @param args the port of the server
   * @throws Exception there is no server for twenty seconds, or an answer is wrong
   */
  public static void main(String[] args) throws Exception {
    DemoClient client = new DemoClient(Integer.parseInt(args[0]));
    Thread end = Thread.ofPlatform().daemon().start(DemoClient::awaitEnd);
    client.talk(end);
    client.report();
    System.out.println("done " + client.answered);
    System.exit(0);
  }

  private static void awaitEnd() {
    try {
      int word = System.in.read();
      if (word < 0) {
        return; // the demo is over, or gone
      }
    } catch (IOException e) {
      return;
    }
  }

  private void talk(Thread end) throws IOException, InterruptedException {
    HttpConnection connection = null;
    long made = 0;
    long reported = 0;
    SplittableRandom random = new SplittableRandom(1);
    while (end.isAlive()) {
      byte[] body = body(random);
      byte[] answer = null;
      long since = System.nanoTime();
      while (answer == null) {
        long now = System.nanoTime();
        if (connection != null && now - made > AGE_NS) {
          connection.close();
          connection = null;
        }
        if (connection == null) {
          connection = connect(since, end);
          made = System.nanoTime();
        }
        if (connection == null) {
          return;
        }
        try {
          answer = connection.exchange(body);
        } catch (IOException e) {
          again++;
          connection.close();
          connection = null;
        }
      }
      if (!Arrays.equals(answer, body)) {
        throw new IOException("request " + answered + " had the answer of another");
      }
      answered++;
      if (System.nanoTime() - reported > REPORT_NS) {
        reported = System.nanoTime();
        report();
      }
    }
  }

  /** Null if the demo ends meanwhile. */
  private @Nullable HttpConnection connect(long since, Thread end)
      throws IOException, InterruptedException {
    while (end.isAlive()) {
      try {
        HttpConnection connection = new HttpConnection(port);
        connections++;
        return connection;
      } catch (IOException e) {
        if (System.nanoTime() - since > PATIENCE_NS) {
          throw e;
        }
        Thread.sleep(PAUSE_MS);
      }
    }
    return null;
  }

  /** Its number, and bytes that no other request has. */
  private byte[] body(SplittableRandom random) {
    byte[] body = new byte[random.nextInt(SMALLEST, LARGEST)];
    random.nextBytes(body);
    ByteBuffer.wrap(body).putLong(0, answered);
    return body;
  }

  private void report() {
    System.out.println("at " + answered + " " + again + " " + connections);
  }
}
