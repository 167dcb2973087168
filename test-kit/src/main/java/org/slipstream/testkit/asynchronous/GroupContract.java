package org.slipstream.testkit.asynchronous;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.IllegalChannelGroupException;
import java.nio.channels.ShutdownChannelGroupException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Network;

/** Groups of channels: their threads, and their end. */
public abstract class GroupContract extends AsynchronousContract {

  /** Nothing is opened yet. */
  protected GroupContract() {}

  private AsynchronousChannelProvider provider() {
    return carrier().asynchronous();
  }

  @Test
  void theDefaultGroupNeedsNoMaking() throws Exception {
    Ends ends = settledPair(null);
    Recorder<Integer> read = new Recorder<>();
    ends.server().read(ByteBuffer.allocate(1), null, read);
    assertThat(value(ends.client().write(Bytes.ascii("x")))).isOne();
    assertThat(read.value()).isOne();
    assertThat(read.await().thread().isDaemon()).isTrue();
    assertThat(read.await().thread()).isNotEqualTo(Thread.currentThread());
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 1, 3})
  void anExecutorOfTheProgramRunsTheHandlers(int initialSize) throws Exception {
    ExecutorService executor = Executors.newCachedThreadPool();
    AsynchronousChannelGroup of = provider().openAsynchronousChannelGroup(executor, initialSize);
    Ends ends = settledPair(of);
    for (int i = 0; i < 100; i++) {
      Recorder<Integer> read = new Recorder<>();
      ends.server().read(ByteBuffer.allocate(1), null, read);
      Recorder<Integer> written = new Recorder<>();
      ends.client().write(Bytes.ascii("x"), null, written);
      assertThat(read.value()).isOne();
      assertThat(written.value()).isOne();
      assertThat(read.await().thread().getName()).startsWith("pool-");
    }
    of.shutdownNow();
    assertThat(of.awaitTermination(60, SECONDS)).isTrue();
    assertThat(executor.isShutdown()).isTrue();
  }

  /** No type says so, but the JDK's group is one, and programs use it. */
  @Test
  void aGroupRunsTasksOnItsThreads() throws Exception {
    AsynchronousChannelGroup fixed =
        provider()
            .openAsynchronousChannelGroup(
                1, task -> Thread.ofPlatform().name("of the group").unstarted(task));
    ExecutorService pool =
        Executors.newCachedThreadPool(
            task -> Thread.ofPlatform().name("of the pool").unstarted(task));
    AsynchronousChannelGroup cached = provider().openAsynchronousChannelGroup(pool, 0);

    assertThat(threadOf(fixed)).isEqualTo("of the group");
    assertThat(threadOf(cached)).isEqualTo("of the pool");

    for (AsynchronousChannelGroup group : List.of(fixed, cached)) {
      group.shutdownNow();
      assertThat(group.awaitTermination(60, SECONDS)).isTrue();
      assertThatThrownBy(() -> ((Executor) group).execute(() -> {}))
          .isInstanceOf(RejectedExecutionException.class);
    }
  }

  private static String threadOf(AsynchronousChannelGroup group) throws Exception {
    assertThat(group).isInstanceOf(Executor.class);
    CompletableFuture<String> name = new CompletableFuture<>();
    ((Executor) group).execute(() -> name.complete(Thread.currentThread().getName()));
    return name.get(60, SECONDS);
  }

  @Test
  void aPoolOfAnotherKindWithoutInitialThreadsWorks() throws Exception {
    ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    AsynchronousChannelGroup of = provider().openAsynchronousChannelGroup(executor, 0);
    Ends ends = settledPair(of);
    Recorder<Integer> read = new Recorder<>();
    ends.server().read(ByteBuffer.allocate(1), null, read);
    assertThat(value(ends.client().write(Bytes.ascii("x")))).isOne();
    assertThat(read.value()).isOne();
    assertThat(read.await().thread().isVirtual()).isTrue();
    of.shutdownNow();
    assertThat(of.awaitTermination(60, SECONDS)).isTrue();
  }

  @Test
  void badArgumentsAreRefused() {
    assertThatThrownBy(
            () -> provider().openAsynchronousChannelGroup(0, Executors.defaultThreadFactory()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> provider().openAsynchronousSocketChannel(new Foreign(provider())))
        .isInstanceOf(IllegalChannelGroupException.class);
  }

  /** Not made by the provider. */
  private static final class Foreign extends AsynchronousChannelGroup {
    Foreign(AsynchronousChannelProvider provider) {
      super(provider);
    }

    @Override
    public boolean isShutdown() {
      return false;
    }

    @Override
    public boolean isTerminated() {
      return false;
    }

    @Override
    public void shutdown() {}

    @Override
    public void shutdownNow() {}

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return false;
    }
  }

  @Test
  void anEmptyGroupEndsWhenItIsShutDown() throws Exception {
    AsynchronousChannelGroup of = fixedGroup(2);
    assertThat(of.isShutdown()).isFalse();
    assertThat(of.isTerminated()).isFalse();
    assertThat(of.provider()).isSameAs(provider());

    of.shutdown();

    assertThat(of.isShutdown()).isTrue();
    assertThat(of.awaitTermination(60, SECONDS)).isTrue();
    assertThat(of.isTerminated()).isTrue();
    assertThatThrownBy(() -> open(of)).isInstanceOf(ShutdownChannelGroupException.class);
    assertThatThrownBy(() -> openServer(of)).isInstanceOf(ShutdownChannelGroupException.class);
  }

  @Test
  void aGroupThatIsShutDownLetsItsChannelsFinish() throws Exception {
    AsynchronousChannelGroup of = fixedGroup(2);
    Ends ends = settledPair(of);

    of.shutdown();

    assertThat(of.awaitTermination(A_WHILE.toMillis(), MILLISECONDS)).isFalse();
    Recorder<Integer> read = new Recorder<>();
    ends.server().read(ByteBuffer.allocate(1), null, read);
    assertThat(value(ends.client().write(Bytes.ascii("x")))).isOne();
    assertThat(read.value()).isOne();
    ends.client().close();
    assertThat(of.isTerminated()).isFalse();
    ends.server().close();
    assertThat(of.awaitTermination(60, SECONDS)).isTrue();
  }

  @Test
  void shutdownNowClosesTheChannels() throws Exception {
    AsynchronousChannelGroup of = fixedGroup(2);
    // In one group a peer that is closed first would end the read before its own close does.
    Ends ends = settledPair(of, fixedGroup(1));
    AsynchronousServerSocketChannel listener = openServer(of).bind(Network.anyPort());
    Future<AsynchronousSocketChannel> accept = listener.accept();
    Recorder<Integer> read = new Recorder<>();
    ends.client().read(ByteBuffer.allocate(1), null, read);

    of.shutdownNow();

    assertThat(of.isShutdown()).isTrue();
    assertThat(failure(accept)).isExactlyInstanceOf(AsynchronousCloseException.class);
    assertThat(read.failure()).isExactlyInstanceOf(AsynchronousCloseException.class);
    assertThat(ends.client().isOpen()).isFalse();
    assertThat(ends.server().isOpen()).isTrue();
    assertThat(listener.isOpen()).isFalse();
    assertThat(of.awaitTermination(60, SECONDS)).isTrue();
  }

  @Test
  void aConnectionThatComesTooLateIsNotAccepted() throws Exception {
    AsynchronousChannelGroup of = fixedGroup(1);
    AsynchronousServerSocketChannel listener = openServer(of).bind(Network.anyPort());
    Future<AsynchronousSocketChannel> accept = listener.accept();
    of.shutdown();

    value(open(group()).connect(addressOf(listener)));

    assertThat(failure(accept)).isInstanceOf(IOException.class);
  }

  @Test
  void manyGroupsComeAndGo() throws Exception {
    for (int i = 0; i < 10; i++) {
      AsynchronousChannelGroup of = fixedGroup(1 + i % 3);
      Ends ends = freshPair(of);
      assertThat(value(ends.client().write(Bytes.ascii("x")))).isOne();
      assertThat(value(ends.server().read(ByteBuffer.allocate(1)))).isOne();
      of.shutdownNow();
      assertThat(of.awaitTermination(60, SECONDS)).isTrue();
    }
  }
}
