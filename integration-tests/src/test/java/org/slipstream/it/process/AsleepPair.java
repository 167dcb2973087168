package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Two processes whose threads never look on before they sleep, and one connection {@code c}, {@code
 * s} between them, on the ring: no thread reads or writes there unless it is told to.
 */
final class AsleepPair {
  static final String ASLEEP = "-Dslipstream.spin.max=0";
  static final String WATCHER = "slipstream-watcher";

  /**
   * The JDK's linker makes a hundred classes for its first function, in a process that is young.
   */
  private static final String LINKER = "jdk.internal.foreign.abi.BindingSpecializer";

  /** What each function needs that is called. */
  private static final String STUB = "jdk.internal.foreign.abi.NativeEntryPoint";

  /** So many exchanges make a process begin with futexes. */
  private static final int WORTH_IT = 25;

  final Peer server;
  final Peer client;
  private final Children children;

  private AsleepPair(Children children, Peer server, Peer client) {
    this.children = children;
    this.server = server;
    this.client = client;
  }

  /** Has a process say which classes it loads, in a file that is named by its number. */
  static String loadedInto(Path directory) {
    return "-Xlog:class+load:file=" + directory.resolve("%p.log") + ":none";
  }

  /** A process that was told {@link #loadedInto} calls the kernel, and not by way of the linker. */
  static void assertNothingLinked(Path directory, Peer peer) throws IOException {
    List<String> loaded = Files.readAllLines(directory.resolve(peer.pid() + ".log"));
    assertThat(loaded).anyMatch(line -> line.startsWith(STUB + " "));
    assertThat(loaded).noneMatch(line -> line.startsWith(LINKER + " "));
  }

  /** Neither end sleeps on a futex yet. */
  static AsleepPair connect(Children children, Peer server, Peer client) throws Exception {
    client.ask("connect c " + server.port("l"));
    server.ask("accept l s");
    children.toTheRing(client, "c", server, "s");
    return new AsleepPair(children, server, client);
  }

  /** Readers of both ends sleep on futexes. */
  static AsleepPair onFutexes(Children children) throws Exception {
    List<Peer> both = children.acceleratedPair(ASLEEP);
    AsleepPair pair = connect(children, both.get(0), both.get(1));
    pair.awaitFutex(pair.server);
    pair.awaitFutex(pair.client);
    return pair;
  }

  /** Exchanges messages until the reader of one end was woken on a futex. */
  void awaitFutex(Peer reader) {
    Children.soon()
        .alias("process " + reader.pid() + " is woken on a futex")
        .until(() -> {
          exchange();
          return isWokenBy(children.streams(reader), "futex");
        });
  }

  /** So many that futexes are worth it for both, if they can be had. */
  void exchange() throws Exception {
    for (int i = 0; i < WORTH_IT; i++) {
      exchangeAsleep();
    }
  }

  /** Each read begins before what it waits for is written. */
  private void exchangeAsleep() throws Exception {
    CompletableFuture<String> there = server.begin("read s 10 1");
    CompletableFuture<String> here = client.begin("read c 10 2");
    client.ask("write c 10 1");
    server.ask("write s 10 2");
    server.ok(there, "read");
    client.ok(here, "read");
  }

  /**
   * Whether that has last woken the readers of all streams on the ring, of which there are some.
   */
  static boolean isWokenBy(List<StreamLine> streams, String doorbell) {
    List<StreamLine> onRing = streams.stream().filter(StreamLine::onRing).toList();
    return !onRing.isEmpty() && onRing.stream().allMatch(s -> s.doorbell().equals(doorbell));
  }

  /** A read that has nothing to read yet, and surely sleeps on a futex. */
  static CompletableFuture<String> asleep(Peer reader, String command) throws Exception {
    CompletableFuture<String> reading = reader.begin(command);
    Children.soon().until(() -> reader.ask("threads Futex").equals("1"));
    assertThat(reading).isNotDone();
    return reading;
  }
}
