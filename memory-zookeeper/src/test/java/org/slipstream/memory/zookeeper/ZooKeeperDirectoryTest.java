package org.slipstream.memory.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Closeable;
import java.io.IOException;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slipstream.memory.MemoryDirectoryProvider;
import org.slipstream.testkit.Patience;

/** Entries of two processes, which are two sessions here, while ZooKeeper is there and away. */
class ZooKeeperDirectoryTest {
  private final TestZooKeeper zooKeeper = new TestZooKeeper();
  private TestZooKeeper.Member one;
  private TestZooKeeper.Member other;

  @BeforeEach
  void two() throws Exception {
    one = zooKeeper.process();
    other = zooKeeper.process();
  }

  @AfterEach
  void close() throws Exception {
    zooKeeper.close();
  }

  @Test
  void anEntryIsOneForAll() throws Exception {
    assertThat(one.directory().read("names/a")).isNull();
    assertThat(one.directory().list("names")).isEmpty();
    assertThat(one.directory().create("names/a", "1")).isTrue();
    assertThat(other.directory().create("names/a", "2")).isFalse();
    assertThat(one.directory().create("names/a", "3")).isFalse();
    assertThat(one.directory().create("names/a", "1")).as("the answer was lost").isTrue();
    assertThat(other.directory().create("names/a", "1")).isFalse();
    assertThat(other.directory().create("names/b", "4")).isTrue();
    assertThat(other.directory().read("names/a")).isEqualTo("1");
    assertThat(one.directory().list("names")).containsExactly("a", "b");
  }

  @Test
  void onlyItsMakerChangesOrRemovesAnEntry() throws Exception {
    assertThat(one.directory().replace("names/a", "0")).isFalse();
    assertThat(one.directory().create("names/a", "1")).isTrue();
    assertThat(other.directory().replace("names/a", "2")).isFalse();
    other.directory().remove("names/a", "1");
    one.directory().remove("names/a", "0"); // an earlier one
    assertThat(one.directory().replace("names/a", "3")).isTrue();
    assertThat(other.directory().read("names/a")).isEqualTo("3");
    one.directory().remove("names/a", "3");
    Patience.await().until(() -> other.directory().read("names/a") == null);
    assertThat(other.directory().create("names/a", "4")).isTrue();
  }

  @Test
  void entriesEndWithTheProcess() throws Exception {
    one.directory().create("names/a", "1");
    one.directory().close();
    Patience.await().until(() -> other.directory().read("names/a") == null);
  }

  @Test
  void theEndOfAnEntryIsTold() throws Exception {
    AtomicInteger told = new AtomicInteger();
    other.directory().whenGone("holders/none", told::incrementAndGet);
    Patience.await().until(() -> told.get() == 1);
    one.directory().create("holders/a", "1");
    one.directory().create("holders/b", "1");
    other.directory().whenGone("holders/a", told::incrementAndGet);
    other.directory().whenGone("holders/a", told::incrementAndGet);
    other.directory().whenGone("holders/b", told::incrementAndGet);
    one.directory().replace("holders/a", "2");
    one.directory().remove("holders/b", "1");
    Patience.await().until(() -> told.get() == 2);
    one.directory().close();
    Patience.await().until(() -> told.get() == 4);
  }

  /** Each of them ends leases; a second call ends what the first left. */
  @Test
  void theEndOfAnEntryIsToldAgainIfThereWasNoMemoryForIt() throws Exception {
    AtomicInteger told = new AtomicInteger();
    AtomicInteger others = new AtomicInteger();
    one.directory().create("holders/a", "1");
    other.directory().whenGone("holders/a", others::incrementAndGet);
    other
        .directory()
        .whenGone(
            "holders/a",
            () -> {
              if (told.getAndIncrement() == 0) {
                throw new OutOfMemoryError("as a test has it");
              }
            });
    other.directory().whenGone("holders/a", others::incrementAndGet);
    one.directory().close();
    Patience.await().until(() -> others.get() == 2);
    assertThat(told).hasValue(2);
  }

  @Test
  void whatIsKeptComesBackInTheNextSession() throws Exception {
    Closeable kept = one.directory().keep("servers/a", "1");
    one.directory().create("names/a", "1");
    AtomicInteger told = new AtomicInteger();
    other.directory().whenGone("names/a", told::incrementAndGet);
    one.expire();
    Patience.await().until(() -> told.get() == 1);
    Patience.await().until(() -> "1".equals(other.directory().read("servers/a")));
    assertThat(one.directory().replace("names/a", "2")).isFalse();
    one.expire();
    Patience.await().until(() -> "1".equals(other.directory().read("servers/a")));
    kept.close();
    Patience.await().until(() -> other.directory().list("servers").isEmpty());
  }

  @Test
  void whileZooKeeperIsAwayItIsSaidSoAndNothingIsTold() throws Exception {
    AtomicInteger told = new AtomicInteger();
    one.directory().create("holders/a", "1");
    one.directory().create("names/a", "1");
    other.directory().whenGone("holders/a", told::incrementAndGet);
    zooKeeper.stop();
    assertThatThrownBy(() -> one.directory().create("names/b", "1"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("does not answer");
    assertThatThrownBy(() -> one.directory().list("names")).isInstanceOf(IOException.class);
    one.directory().remove("names/a", "1");
    assertThat(told).hasValue(0);
    zooKeeper.restart();
    Patience.await().ignoreExceptions().until(() -> other.directory().list("names").isEmpty());
    assertThat(told).hasValue(0);
    assertThat(other.directory().read("holders/a")).isEqualTo("1");
    one.directory().close();
    Patience.await().until(() -> told.get() == 1);
  }

  /** A session that a process has seen end may have watched for it, and does not any more. */
  @Test
  void anEndIsToldThoughTheSessionOfTheOneThatWaitsExpires() throws Exception {
    AtomicInteger told = new AtomicInteger();
    one.directory().create("holders/a", "1");
    other.directory().whenGone("holders/a", told::incrementAndGet);
    other.expire();
    Patience.await()
        .ignoreExceptions()
        .until(() -> "1".equals(other.directory().read("holders/a")));
    one.directory().close();
    Patience.await().until(() -> told.get() == 1);
  }

  @Test
  void aClientOfTheProgramStaysOpenAndKeepsNothingOfTheDirectory() throws Exception {
    one.directory().create("names/a", "1");
    Closeable _ = one.directory().keep("servers/a", "1");
    one.directory().close();
    assertThat(one.client().getZookeeperClient().isConnected()).isTrue();
    Patience.await().until(() -> other.directory().read("names/a") == null);
    Patience.await().until(() -> other.directory().read("servers/a") == null);
  }

  @Test
  void theCommandLineFindsIt() throws Exception {
    MemoryDirectoryProvider provider =
        ServiceLoader.load(MemoryDirectoryProvider.class).findFirst().orElseThrow();
    assertThat(provider.name()).isEqualTo("zookeeper");
    try (var directory = provider.connect(zooKeeper.hosts())) {
      assertThat(directory.create("names/a", "1")).isTrue();
      assertThat(one.directory().read("names/a")).isEqualTo("1");
    }
    assertThat(one.directory().read("names/a")).isNull();
  }

  @Test
  void whereNoZooKeeperIsItIsSaidSo() throws Exception {
    zooKeeper.stop();
    assertThatThrownBy(() -> ZooKeeperDirectory.connect(zooKeeper.hosts()))
        .isInstanceOf(IOException.class)
        .hasMessage("ZooKeeper at " + zooKeeper.hosts() + " does not answer; is it started?");
    assertThatThrownBy(() -> ZooKeeperDirectory.connect(""))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("names no ZooKeeper");
  }
}
