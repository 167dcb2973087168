package org.slipstream.testkit.transport;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slipstream.testkit.Patience;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.TransportSettings;

/**
 * A process as a backend sees it, several of which may be in one JVM: a reactor with a thread of
 * its own, a budget, and a record of what the backend has reported.
 */
public final class TestHost implements TransportHost, Reactor, Closeable {
  private record Timer(long due, Runnable task) {}

  private final ProcessId id = ProcessId.random();
  private final MemoryBudget budget;
  private final TransportSettings settings;
  private final Selector selector = Selector.open();
  private final Thread thread;
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  /** Only on the reactor. */
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>((a, b) -> Long.signum(a.due - b.due));

  private final BlockingQueue<Session> opened = new LinkedBlockingQueue<>();
  private final Map<Session, BlockingQueue<ByteBuffer>> frames = new ConcurrentHashMap<>();
  private final List<Session> lost = new CopyOnWriteArrayList<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private volatile boolean refusesFrames;
  private volatile boolean closed;

  /**
   * Starts one.
   *
   * @param settings of the process
   * @param budgetBytes what its windows may take
   * @throws IOException no descriptors left
   */
  public TestHost(TransportSettings settings, long budgetBytes) throws IOException {
    this.settings = settings;
    this.budget = new MemoryBudget(budgetBytes);
    this.thread = Thread.ofPlatform().daemon().name("test-reactor").start(this::run);
  }

  // -- what a test asks ------------------------------------------------------------------------

  /** Runs something on the reactor and returns what came of it. */
  public <T extends @Nullable Object> T call(Callable<T> task) throws Exception {
    CompletableFuture<T> result = new CompletableFuture<>();
    execute(() -> {
      try {
        result.complete(task.call());
      } catch (Throwable e) {
        result.completeExceptionally(e);
      }
    });
    try {
      return result.get(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    } catch (TimeoutException e) {
      throw new AssertionError("the reactor is blocked: nothing on it may wait", e);
    }
  }

  /** The next session that a peer has made with us; null if there is none in time. */
  public @Nullable Session nextOpened() throws InterruptedException {
    return opened.poll(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  /** How many sessions have been reported, and not been asked for by {@link #nextOpened}. */
  public int openedSessions() {
    return opened.size();
  }

  /** The next frame of a session; null if there is none in time. */
  public @Nullable ByteBuffer nextFrame(Session session) throws InterruptedException {
    return queue(session).poll(Patience.DEADLINE.toSeconds(), TimeUnit.SECONDS);
  }

  /** From now on every frame is nonsense. */
  public void refuseFrames() {
    refusesFrames = true;
  }

  /** The sessions that were reported as lost, once for each report. */
  public List<Session> lost() {
    return lost;
  }

  /** What escaped from the backend on the reactor. */
  public List<Throwable> failures() {
    return failures;
  }

  /** What users would have read. */
  public List<String> warnings() {
    return warnings;
  }

  private BlockingQueue<ByteBuffer> queue(Session session) {
    return frames.computeIfAbsent(session, s -> new LinkedBlockingQueue<>());
  }

  // -- TransportHost ---------------------------------------------------------------------------

  @Override
  public ProcessId processId() {
    return id;
  }

  @Override
  public Reactor reactor() {
    return this;
  }

  @Override
  public MemoryBudget budget() {
    return budget;
  }

  @Override
  public TransportSettings settings() {
    return settings;
  }

  @Override
  public SocketChannel openSocketChannel(StandardProtocolFamily family) throws IOException {
    return SocketChannel.open(family);
  }

  @Override
  public ServerSocketChannel openServerSocketChannel(StandardProtocolFamily family)
      throws IOException {
    return ServerSocketChannel.open(family);
  }

  @Override
  public boolean hasAcceptedFrom(InetAddress client) {
    return true;
  }

  @Override
  public void sessionOpened(Session session) {
    opened.add(session);
  }

  @Override
  public void frameReceived(Session session, ByteBuffer frame) throws IOException {
    if (refusesFrames) {
      throw new IOException("nonsense, says a test");
    }
    queue(session).add(ByteBuffer.allocate(frame.remaining()).put(frame).flip());
  }

  @Override
  public void sessionLost(Session session, String cause) {
    lost.add(session);
  }

  @Override
  public String inspect(String question) {
    return "{}";
  }

  @Override
  public void warn(String sentence) {
    warnings.add(sentence);
  }

  // -- Reactor ---------------------------------------------------------------------------------

  @Override
  public SelectionKey register(SelectableChannel channel, int ops, Handler handler)
      throws IOException {
    channel.configureBlocking(false);
    selector.wakeup();
    SelectionKey key = channel.register(selector, ops, handler);
    selector.wakeup();
    return key;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    selector.wakeup();
  }

  @Override
  public void schedule(long delayNanos, Runnable task) {
    long due = System.nanoTime() + delayNanos;
    execute(() -> timers.add(new Timer(due, task)));
  }

  @Override
  public boolean inReactor() {
    return thread.equals(Thread.currentThread());
  }

  private void run() {
    try {
      while (!closed) {
        Timer first = timers.peek();
        long left =
            first == null
                ? Long.MAX_VALUE
                : TimeUnit.NANOSECONDS.toMillis(first.due - System.nanoTime()) + 1;
        if (!tasks.isEmpty() || left <= 0) {
          selector.selectNow();
        } else {
          selector.select(first == null ? 0 : left);
        }
        selector.selectedKeys().forEach(this::handle);
        selector.selectedKeys().clear();
        Runnable task;
        while ((task = tasks.poll()) != null) {
          guarded(task);
        }
        while ((first = timers.peek()) != null && first.due - System.nanoTime() <= 0) {
          timers.remove();
          guarded(first.task);
        }
      }
      for (SelectionKey key : List.copyOf(selector.keys())) {
        fail(key, new IOException("The process leaves"));
      }
      selector.close();
    } catch (IOException e) {
      failures.add(e);
    }
  }

  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      failures.add(e);
    }
  }

  private void handle(SelectionKey key) {
    try {
      if (key.isValid()) {
        ((Handler) key.attachment()).ready(key);
      }
    } catch (IOException e) {
      fail(key, e);
    } catch (RuntimeException | Error e) {
      failures.add(e);
      fail(key, e);
    }
  }

  private static void fail(SelectionKey key, Throwable cause) {
    key.cancel();
    try {
      key.channel().close();
    } catch (IOException e) {
      cause.addSuppressed(e);
    }
    ((Handler) key.attachment()).failed(cause);
  }

  /** The process leaves. */
  @Override
  public void close() throws IOException {
    closed = true;
    selector.wakeup();
    try {
      thread.join(Patience.DEADLINE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
