package org.slipstream.servers.hazelcast;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.slipstream.servers.Loop;

/** One client: puts values into a map, gets them, and compares. */
public final class HazelcastLoad {
  private static final int BYTES = 256;
  private static final int KEYS = 1000;

  private HazelcastLoad() {}

  /**
   * {@code ADDRESSES}.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
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
      AtomicInteger count = new AtomicInteger();
      Loop.serve(
          1,
          () -> {
            int key = random.nextInt(KEYS);
            if (count.getAndIncrement() % 4 == 0) {
              random.nextBytes(values[key]);
              map.set(key, values[key]);
            } else if (!Arrays.equals(values[key], map.get(key))) {
              throw new IllegalStateException("another value came back");
            }
          });
    } finally {
      client.shutdown();
    }
  }
}
