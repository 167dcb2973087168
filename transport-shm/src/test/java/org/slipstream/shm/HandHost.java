package org.slipstream.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;
import org.slipstream.transport.TransportHost;
import org.slipstream.transport.TransportSettings;

/** A process with real sockets, whose control thread and clock are moved by the test. */
final class HandHost implements TransportHost, Reactor, AutoCloseable {
  static final int RING_BYTES = 256 * 1024;

  private record Task(long due, Runnable work) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::due));
  private final Selector selector = Selector.open();
  private final ProcessId id;
  MemoryBudget budget = new MemoryBudget(1L << 40);
  private final List<SocketChannel> opened = new ArrayList<>();
  private long now;

  final List<String> warnings = new ArrayList<>();
  final List<Session> lost = new ArrayList<>();

  /** Where the runtime directory is at the moment. */
  Path directory;

  /** Of the first few streams. */
  int firstRingBytes = RING_BYTES;

  /** So many sockets can not be opened. */
  int refusals;

  HandHost(Path directory, ProcessId id) throws IOException {
    this.directory = directory;
    this.id = id;
  }

  Selector selector() {
    return selector;
  }

  Set<SelectionKey> keys() {
    return selector.keys();
  }

  int tasks() {
    return tasks.size();
  }

  /** Does what the control thread would do now. */
  void select() throws IOException {
    passes(0);
    selector.selectNow();
    for (SelectionKey key : selector.selectedKeys()) {
      Handler handler = (Handler) key.attachment();
      try {
        handler.ready(key);
      } catch (IOException | RuntimeException | Error e) {
        key.cancel();
        key.channel().close();
        handler.failed(e);
      }
    }
    selector.selectedKeys().clear();
    passes(0);
  }

  void passes(long nanos) {
    long end = now + nanos;
    while (!tasks.isEmpty() && tasks.peek().due <= end) {
      Task next = tasks.poll();
      now = Math.max(now, next.due);
      next.work.run();
    }
    now = end;
  }

  /** Lets the next task run; returns how long that took. */
  long passToNextTask() {
    long before = now;
    passes(Math.max(0, tasks.element().due - now));
    return now - before;
  }

  /** A channel that is connected to nothing. */
  SocketChannel unconnected() {
    try {
      SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
      opened.add(channel);
      return channel;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public SelectionKey register(SelectableChannel channel, int ops, Handler handler)
      throws IOException {
    channel.configureBlocking(false);
    return channel.register(selector, ops, handler);
  }

  @Override
  public void execute(Runnable task) {
    schedule(0, task);
  }

  @Override
  public void schedule(long delayNanos, Runnable task) {
    tasks.add(new Task(now + delayNanos, task));
  }

  @Override
  public boolean inReactor() {
    return true;
  }

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
    return new TransportSettings(directory.toString(), RING_BYTES, firstRingBytes);
  }

  private void mayRefuse() throws IOException {
    if (refusals > 0) {
      refusals--;
      throw new IOException("Too many open files (injected)");
    }
  }

  @Override
  public SocketChannel openSocketChannel(StandardProtocolFamily family) throws IOException {
    mayRefuse();
    return SocketChannel.open(family);
  }

  @Override
  public ServerSocketChannel openServerSocketChannel(StandardProtocolFamily family)
      throws IOException {
    mayRefuse();
    return ServerSocketChannel.open(family);
  }

  @Override
  public void sessionOpened(Session session) {}

  @Override
  public void frameReceived(Session session, ByteBuffer frame) {}

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

  @Override
  public void close() throws IOException {
    for (SocketChannel channel : opened) {
      channel.close();
    }
    for (SelectionKey key : selector.keys()) {
      key.channel().close();
    }
    selector.close();
  }
}
