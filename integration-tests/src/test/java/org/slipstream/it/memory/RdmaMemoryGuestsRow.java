package org.slipstream.it.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.memory.Domain;
import org.slipstream.memory.Grant;
import org.slipstream.memory.MappingException;
import org.slipstream.memory.Owner;
import org.slipstream.memory.Queue;
import org.slipstream.memory.Region;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Right;
import org.slipstream.memory.Status;
import org.slipstream.testkit.Patience;

/** Memory of another host: this guest maps what a process of guest 8 exports. */
public class RdmaMemoryGuestsRow {
  private static final InetSocketAddress ADDRESS = new InetSocketAddress("10.78.0.8", 7100);
  private static final int SIZE = 1 << 20;
  private static final Set<Right> ALL = EnumSet.allOf(Right.class);
  private static final String TRANSPORTS = "slipstream.transports";
  private static final String KEY = "slipstream.key";
  private static final String KEY_FILE = "/tmp/key";

  /** The other guest takes its link down for as many seconds, and removes it. */
  private static final Path CUT = Path.of("/job/cut");

  /** The other guest runs the owner from then on, and again when it ends. */
  private static final Path BEGUN = Path.of("/job/memory");

  /** What the owner is to do, and what it says to that, each with a number before it. */
  private static final Path QUESTION = Path.of("/job/memory-question");

  private static final Path ANSWER = Path.of("/job/memory-answer");

  private static int questions;

  private Domain client;
  private Queue queue;
  private final Arena arena = Arena.ofShared();
  private final long[] ticket = new long[1];
  private final Status[] status = new Status[1];

  /** The command of the other machine. */
  public static List<String> owner() {
    return command(OwnerProcess.class, "/dev/shm/owner");
  }

  private static List<String> command(Class<?> main, String directory) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-Xmx64m",
        "--enable-native-access=ALL-UNNAMED",
        "-D" + TRANSPORTS + "=rdma",
        "-D" + KEY + "=" + KEY_FILE,
        "-cp",
        System.getProperty("java.class.path"),
        main.getName(),
        directory);
  }

  /** Exports a region, and does what the other guest's tests ask for. */
  public static final class OwnerProcess {
    private OwnerProcess() {}

    /**
     * Exports until it is killed.
     *
     * @param args its directory
     */
    public static void main(String[] args) throws Exception {
      try (Domain domain = Domain.open(Path.of(args[0]))) {
        Region region = domain.export("r", SIZE, ALL);
        String last = Files.exists(QUESTION) ? Files.readString(QUESTION) : "";
        domain.announce(ADDRESS);
        while (true) {
          String now = Files.exists(QUESTION) ? Files.readString(QUESTION) : "";
          if (!now.equals(last)) {
            last = now;
            String[] words = now.split(" ", 3);
            move(words[0] + " " + answer(region, words), ANSWER);
          }
          Thread.sleep(50);
        }
      }
    }

    private static String answer(Region region, String[] words) throws Exception {
      return switch (words[1]) {
        case "mappings" -> "" + region.mappings();
        case "get" -> "" + region.memory().get(ValueLayout.JAVA_LONG, Integer.parseInt(words[2]));
        case "grant" -> region.grant(ALL).encode();
        case "revoke" -> "" + region.revoke(Grant.decode(words[2]), Duration.ZERO);
        case "die" -> {
          Runtime.getRuntime().halt(1); // as kill -9: nothing is said to anybody
          yield "";
        }
        default -> throw new IllegalArgumentException(words[1]);
      };
    }
  }

  /** Another process of this guest, which adds until it is killed. */
  public static final class ClientProcess {
    private ClientProcess() {}

    /**
     * Adds.
     *
     * @param args its directory
     */
    public static void main(String[] args) throws Exception {
      try (Domain domain = Domain.open(Path.of(args[0]));
          RemoteRegion region = mapSoon(domain);
          Queue queue = domain.queue(1)) {
        MemorySegment word = Arena.ofAuto().allocate(8);
        System.out.println("ready");
        while (queue.fetchAdd(region, 64, 1, word, 1)) {
          queue.submit();
          while (queue.poll(new long[1], new Status[1]) == 0) {
            Thread.onSpinWait();
          }
        }
      }
    }
  }

  private static void move(String text, Path to) throws IOException {
    Path made = to.resolveSibling(to.getFileName() + "-soon");
    Files.writeString(made, text);
    Files.move(made, to, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String ask(String question) throws Exception {
    String number = Integer.toString(++questions);
    move(number + " " + question, QUESTION);
    if (question.equals("die")) {
      return "";
    }
    Patience.await()
        .until(() -> Files.exists(ANSWER) && Files.readString(ANSWER).startsWith(number + " "));
    return Files.readString(ANSWER).substring(number.length() + 1);
  }

  /** The owner may just be starting, or the link be coming back. */
  private static RemoteRegion mapSoon(Domain domain) throws Exception {
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    while (true) {
      try {
        return domain.map(Owner.at(ADDRESS), "r");
      } catch (MappingException e) {
        if (System.nanoTime() - end >= 0) {
          throw e;
        }
        Thread.sleep(200);
      }
    }
  }

  @BeforeAll
  static void begin() throws IOException {
    System.setProperty(TRANSPORTS, "rdma");
    System.setProperty(KEY, KEY_FILE);
    if (!Files.exists(BEGUN)) {
      Files.createFile(BEGUN);
    }
  }

  @AfterAll
  static void end() {
    System.clearProperty(TRANSPORTS);
    System.clearProperty(KEY);
  }

  @BeforeEach
  void open() throws IOException {
    client = Domain.open(Path.of("/dev/shm/client"));
    queue = client.queue(4);
  }

  @AfterEach
  void close() {
    queue.close();
    client.close();
    arena.close();
  }

  private Status outcome(boolean posted) {
    assertThat(posted).as("the queue has room").isTrue();
    queue.submit();
    long end = System.nanoTime() + Patience.DEADLINE.toNanos();
    while (queue.poll(ticket, status) == 0) {
      assertThat(System.nanoTime() - end).as("the operation ends").isNegative();
    }
    return status[0];
  }

  private MemorySegment word(long value) {
    MemorySegment word = arena.allocate(8);
    word.set(ValueLayout.JAVA_LONG, 0, value);
    return word;
  }

  /** Adds as long as that is done. */
  private void awaitEnd(RemoteRegion region, Status expected) {
    MemorySegment word = arena.allocate(8);
    Patience.await().until(() -> outcome(queue.fetchAdd(region, 0, 1, word, 1)) != Status.OK);
    assertThat(status[0]).isEqualTo(expected);
    assertThat(region.status()).isEqualTo(expected);
    assertThat(queue.flush(region)).isEqualTo(expected);
  }

  private void assertItWorks(RemoteRegion region, long value) throws Exception {
    assertThat(outcome(queue.write(region, 8, word(value), 1))).isEqualTo(Status.OK);
    assertThat(queue.flush(region)).isEqualTo(Status.OK);
    assertThat(ask("get 8")).isEqualTo("" + value);
    MemorySegment read = arena.allocate(8);
    assertThat(outcome(queue.read(region, 8, read, 1))).isEqualTo(Status.OK);
    assertThat(read.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(value);
    assertThat(outcome(queue.fetchAdd(region, 8, 3, read, 1))).isEqualTo(Status.OK);
    assertThat(read.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(value);
    assertThat(outcome(queue.compareAndSet(region, 8, value + 3, 1, read, 1))).isEqualTo(Status.OK);
    assertThat(ask("get 8")).isEqualTo("1");
  }

  @Test
  void memoryOfAnotherHostIsReadAndWritten() throws Exception {
    RemoteRegion region = mapSoon(client);
    assertItWorks(region, 42);
    MemorySegment sent = arena.allocate(SIZE / 2);
    for (long i = 0; i < sent.byteSize() / Long.BYTES; i++) {
      sent.setAtIndex(ValueLayout.JAVA_LONG, i, i * 0x9E3779B97F4A7C15L);
    }
    assertThat(outcome(queue.write(region, SIZE / 2, sent, 1))).isEqualTo(Status.OK);
    MemorySegment read = arena.allocate(SIZE / 2);
    assertThat(outcome(queue.read(region, SIZE / 2, read, 1))).isEqualTo(Status.OK);
    assertThat(read.mismatch(sent)).isEqualTo(-1);
  }

  @Test
  void aGrantIsTakenBackByTheDeviceOfItsOwner() throws Exception {
    mapSoon(client).close();
    String grant = ask("grant");
    RemoteRegion region = client.map(Grant.decode(grant));
    assertItWorks(region, 7);
    assertThat(ask("revoke " + grant)).isEqualTo("true");
    awaitEnd(region, Status.REVOKED);
  }

  @Test
  void aKilledClientHoldsNothing() throws Exception {
    RemoteRegion region = mapSoon(client);
    Patience.await().until(() -> ask("mappings").equals("1"));
    Process child =
        new ProcessBuilder(command(ClientProcess.class, "/dev/shm/killed"))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(child.inputReader().readLine()).isEqualTo("ready");
      assertThat(ask("mappings")).isEqualTo("2");
      child.destroyForcibly().waitFor();
      Patience.await().until(() -> ask("mappings").equals("1"));
      assertItWorks(region, 43);
    } finally {
      child.destroyForcibly();
    }
  }

  @Test
  void aKilledOwnerIsLostAndTheNextOneIsMappedAnew() throws Exception {
    RemoteRegion region = mapSoon(client);
    assertItWorks(region, 44);
    ask("die");
    awaitEnd(region, Status.LOST);
    assertItWorks(mapSoon(client), 45);
  }

  /** The other host says nothing, not even that it ends; its own devices are to forget nothing. */
  @Test
  void aLinkThatIsCutIsLostAndWhenItIsBackMemoryIsMappedAnew() throws Exception {
    RemoteRegion region = mapSoon(client);
    assertItWorks(region, 46);
    move("8", CUT);
    awaitEnd(region, Status.LOST);
    Patience.await().until(() -> !Files.exists(CUT));
    assertItWorks(mapSoon(client), 47);
  }
}
