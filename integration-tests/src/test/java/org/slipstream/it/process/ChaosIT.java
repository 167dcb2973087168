package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Seed;

/**
 * A long day in half a minute: clients come, stream, open and close by the hundred, run out of
 * descriptors and of memory for rings, are stopped and killed; the file system fills up now and
 * then. Every byte is compared, and in the end the servers hold what they held before. {@code
 * -Dslipstream.test.chaos.seconds=600} makes the day longer.
 */
class ChaosIT {
  private static final int SECONDS = Integer.getInteger("slipstream.test.chaos.seconds", 25);
  private static final int MOST_CLIENTS = 3;

  /** The day goes on until it had as much of each, however slow the machine is. */
  private static final int LEAST_KILLED = 3;

  private static final int LEAST_CONNECTIONS = 2_000;

  /** What a client that is not poor opens: streams one after the other, and streams at once. */
  private static final int CYCLES = 400;

  private static final int AT_ONCE = 150;

  /** Descriptors that a poor process gets back, to load a class with and to connect once. */
  private static final int SPARE = 6;

  private static final Duration PATIENCE = Patience.LONG;
  private static final List<String> FEW_DESCRIPTORS =
      List.of("bash", "-c", "ulimit -n 70; exec \"$@\"", "sh");

  /** For rings: a few of them, or none too few. */
  private static final String LITTLE_MEMORY = "-Dslipstream.memory.limit=600k";

  private static final String ENOUGH_MEMORY = "-Dslipstream.memory.limit=64m";

  /** What the heap of a server may have grown by: less than a kilobyte for each connection. */
  private static final long MORE_HEAP = 2 << 20;

  @RegisterExtension final Seed seed = new Seed();
  @RegisterExtension final Children children = new Children();

  private final List<Client> clients = new ArrayList<>();
  private final List<Peer> servers = new ArrayList<>();
  private final int[] ports = new int[2];
  private Random random;
  private SmallTmpfs tmpfs;
  private int started;
  private int killed;
  private int poor;
  private int withLittleMemory;
  private int serversStopped;
  private int clientsStopped;
  private int filled;
  private int connections;
  private long compared;

  /** A child and what it was told to do. */
  private record Client(Peer peer, boolean poor, List<CompletableFuture<String>> work) {}

  @Test
  @Timeout(value = 2, unit = TimeUnit.HOURS) // days may be long
  void everyByteIsRightAndNothingIsLeftOver() throws Exception {
    random = seed.random();
    try (SmallTmpfs small = SmallTmpfs.at(children.directory(), "48m")) {
      tmpfs = small;
      aDay();
    }
  }

  private void aDay() throws Exception {
    servers.addAll(children.acceleratedPair());
    ports[0] = servers.get(0).echo("l");
    ports[1] = servers.get(1).port("l");
    servers.get(1).ask("serve l echoSelector");
    for (Peer server : servers) {
      children.warm(server);
    }
    sleepOverAPipe(servers.get(1), ports[1]);
    final Census first = children.census(servers.get(0));
    final Census second = children.census(servers.get(1));
    final long ringBefore = ringBytes();
    final List<Long> heaps = List.of(heap(servers.get(0)), heap(servers.get(1)));

    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (System.nanoTime() - end < 0 || !everythingHappened()) {
      happen();
    }
    while (!clients.isEmpty()) {
      finish(clients.getFirst());
    }

    System.out.printf(
        "ChaosIT: %d clients, %d of them poor, %d with little memory, %d killed; %d stops of"
            + " servers and %d of clients, %d times a full file system; by the others"
            + " %d connections, %d bytes compared%n",
        started,
        poor,
        withLittleMemory,
        killed,
        serversStopped,
        clientsStopped,
        filled,
        connections,
        compared);
    assertThat(compared).as("bytes there and back").isPositive();
    assertThat(ringBytes() - ringBefore).as("bytes on rings").isGreaterThan(1_000_000);
    Children.soon().untilAsserted(() -> assertThat(children.streams()).isEmpty());
    children.awaitCensus(servers.get(0), first);
    children.awaitCensus(servers.get(1), second);
    for (int i = 0; i < heaps.size(); i++) {
      awaitHeap(servers.get(i), heaps.get(i) + MORE_HEAP);
    }
    for (Peer server : servers) {
      assertThat(server.errors()).as("errors, seed %s", seed).isEmpty();
      assertThat(server.foreignOutput()).as("output, seed %s", seed).isEmpty();
    }
    assertThat(servers.get(1).end()).isZero();
    assertThat(servers.get(0).end()).isZero();
    assertThat(Census.files(children.directory())).as("what is left over").isEmpty();
  }

  private boolean everythingHappened() {
    return killed >= LEAST_KILLED
        && connections >= LEAST_CONNECTIONS
        && Stream.of(poor, withLittleMemory, serversStopped, clientsStopped, filled)
            .allMatch(n -> n > 0);
  }

  /** Bytes that a process can reach, when no byte moves. */
  private static long heap(Peer peer) throws Exception {
    return Long.parseLong(peer.ask("heap"));
  }

  private void awaitHeap(Peer server, long most) {
    long now =
        Children.soon()
            .alias("the heap of a server has not grown, seed " + seed)
            .until(() -> heap(server), bytes -> bytes < most);
    System.out.printf("ChaosIT: a heap of %,d bytes of at most %,d%n", now, most);
  }

  /** What both servers have moved through rings, closed streams included. */
  private long ringBytes() {
    List<String> totals =
        Children.soon()
            .until(
                () -> ProcessInspector.ask(children.directory().toString(), "totals"),
                all -> all.size() == servers.size());
    return Pattern.compile("\"ringBytes(?:Out|In)\":(\\d+)")
        .matcher(String.join(",", totals))
        .results()
        .mapToLong(m -> Long.parseLong(m.group(1)))
        .sum();
  }

  /** The selector of a server makes a pipe when it first sleeps, and keeps it. */
  private void sleepOverAPipe(Peer server, int port) throws Exception {
    Peer client = children.launch(children.acceleratedCommand(List.of())).awaitReady();
    client.ask("connect c " + port);
    Children.soon()
        .until(() -> {
          client.ask("exchange c 1 100 0");
          return children.streams(server).stream().anyMatch(s -> s.doorbell().equals("pipe"));
        });
    client.ask("close c");
    assertThat(client.end()).isZero();
  }

  private void happen() throws Exception {
    switch (random.nextInt(8)) {
      case 0, 1 -> {
        if (clients.size() < MOST_CLIENTS) {
          start();
        }
      }
      case 2 -> {
        if (clients.size() == MOST_CLIENTS) {
          kill(clients.remove(random.nextInt(clients.size())));
        }
      }
      case 3 -> {
        if (!clients.isEmpty()) {
          finish(clients.getFirst());
        }
      }
      case 4 -> {
        serversStopped++;
        stopAndGo(servers.get(random.nextInt(servers.size())));
      }
      case 5 -> {
        if (!clients.isEmpty()) {
          clientsStopped++;
          stopAndGo(clients.get(random.nextInt(clients.size())).peer);
        }
      }
      case 6 -> fillDirectory();
      default -> pauseAtMost(100);
    }
  }

  private void start() throws Exception {
    started++;
    boolean isPoor = random.nextInt(3) == 0;
    String memory = random.nextInt(3) == 0 ? LITTLE_MEMORY : ENOUGH_MEMORY;
    poor += isPoor ? 1 : 0;
    withLittleMemory += memory.equals(LITTLE_MEMORY) ? 1 : 0;
    Peer peer =
        children
            .launch(children.acceleratedCommand(isPoor ? FEW_DESCRIPTORS : List.of(), memory))
            .awaitReady();
    Client client = new Client(peer, isPoor, new ArrayList<>());
    clients.add(client);
    int port = ports[random.nextInt(ports.length)];
    peer.ask("warm");
    if (isPoor) {
      assertThat(peer.ask("connectMany x " + port + " 100")).contains("Too many open files");
      for (int i = 0; i < SPARE; i++) {
        peer.ask("close x" + i);
      }
    }
    int millis = 500 + random.nextInt(3_000);
    client.work.add(
        peer.begin(
            "soak " + port + " " + (isPoor ? 1 : 2) + " " + millis + " " + random.nextInt()));
    if (!isPoor) {
      client.work.add(peer.begin("cycles " + port + " " + CYCLES));
      client.work.add(peer.begin("connectMany x " + port + " " + AT_ONCE));
    }
  }

  private void kill(Client client) throws Exception {
    killed++;
    client.peer.kill();
    for (CompletableFuture<String> work : client.work) {
      // Either it had ended well, or it was never wrong.
      assertThat(client.peer.result(work, PATIENCE, "the end"))
          .as("seed %s", seed)
          .matches("ok.*|gone");
    }
  }

  private void finish(Client client) throws Exception {
    clients.remove(client);
    for (int i = 0; i < client.work.size(); i++) {
      String result = client.peer.ok(client.work.get(i), PATIENCE, "work, seed " + seed);
      if (i == 0) { // the soak
        compared += Long.parseLong(result);
      }
    }
    if (!client.poor) {
      assertThat(client.peer.ok(client.work.getLast(), "connections"))
          .as("connections at once, seed %s", seed)
          .isEqualTo(Integer.toString(AT_ONCE));
      connections += CYCLES + AT_ONCE;
    }
    assertThat(client.peer.errors())
        .as("seed %s", seed)
        // Who has no descriptors may be told why streams stay on TCP.
        .noneMatch(l -> !client.poor || l.startsWith("Exception in thread"));
    client.peer.ask("closeMany x");
    assertThat(client.peer.end()).isZero();
  }

  private void stopAndGo(Peer peer) throws Exception {
    peer.stop();
    pauseAtMost(80);
    peer.signal("CONT");
  }

  private void fillDirectory() throws Exception {
    filled++;
    tmpfs.fill();
    pauseAtMost(30);
    tmpfs.empty();
  }

  /** Not to wait for anything: the moment is the random variable of the test. */
  private void pauseAtMost(int millis) {
    LockSupport.parkNanos(random.nextInt((int) TimeUnit.MILLISECONDS.toNanos(millis)));
  }
}
