package org.slipstream.servers.hazelcast;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import java.util.Arrays;
import java.util.Random;
import org.slipstream.servers.Latencies;

/** One client: puts values into a map, gets them, and compares. */
public final class HazelcastLoad {
  private static final int BYTES = 256;
  private static final int KEYS = 1000;

  private HazelcastLoad() {}

  /**
   * {@code ADDRESS OPERATIONS}.
   *
   * @param args see above
   */
  public static void main(String[] args) {
    int operations = Integer.parseInt(args[1]);
    ClientConfig config = new ClientConfig().setClusterName("slipstream-it");
    config.getNetworkConfig().addAddress(args[0].split(",", -1));
    HazelcastInstance client = HazelcastClient.newHazelcastClient(config);
    try {
      IMap<Integer, byte[]> map = client.getMap("values");
      Random random = new Random(1);
      byte[][] values = new byte[KEYS][BYTES];
      for (int key = 0; key < KEYS; key++) {
        random.nextBytes(values[key]);
        map.set(key, values[key]);
      }
      Latencies latencies = new Latencies(operations);
      long start = System.nanoTime();
      for (int i = 0; i < operations; i++) {
        int key = random.nextInt(KEYS);
        long began = System.nanoTime();
        if (i % 4 == 0) {
          random.nextBytes(values[key]);
          map.set(key, values[key]);
        } else if (!Arrays.equals(values[key], map.get(key))) {
          throw new IllegalStateException("another value came back");
        }
        latencies.ended(began);
      }
      latencies.say(start, operations);
    } finally {
      client.shutdown();
    }
  }
}
