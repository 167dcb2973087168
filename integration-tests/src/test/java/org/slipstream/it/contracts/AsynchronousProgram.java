package org.slipstream.it.contracts;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.Channels;
import java.nio.channels.CompletionHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;

/** Asynchronous channels and their groups: each method in each state. */
public final class AsynchronousProgram {
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  /** Both ends of all connections: one that is collected is closed. */
  private static final List<AsynchronousSocketChannel> KEPT = new ArrayList<>();

  private AsynchronousProgram() {}

  private record State(String name, AsynchronousSocketChannel channel) {}

  /** A method with its arguments. */
  private record Question(String name, Probe.Call call) {}

  /** Waits for what an operation gives. */
  private static final class Waiter<V> implements CompletionHandler<V, Object> {
    private final CompletableFuture<String> outcome = new CompletableFuture<>();

    @Override
    public void completed(V result, Object attachment) {
      outcome.complete(result + " with " + attachment);
    }

    @Override
    public void failed(Throwable failure, Object attachment) {
      outcome.complete(Probe.describe(failure) + " with " + attachment);
    }

    String await() throws Exception {
      return "handler: " + outcome.get(20, TimeUnit.SECONDS);
    }
  }

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    for (int i = 0; i < questions(AsynchronousSocketChannel.open()).size(); i++) {
      for (State state : states()) {
        Question question = questions(state.channel()).get(i);
        Probe.see(state.name() + ": " + question.name(), question.call());
        Probe.see("  then", () -> describe(state.channel()));
        state.channel().close();
      }
    }
    listeners();
    groups();
    System.exit(0); // whatever is left open
  }

  private static String describe(AsynchronousSocketChannel c) {
    return c.isOpen() + " " + text(c);
  }

  /** Text without what differs between classes. */
  private static String text(Object o) {
    return o.toString().replaceFirst("^[^\\[]*", "");
  }

  private static Object get(Future<?> future) throws Exception {
    try {
      return "future: " + future.get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return "future: " + Probe.describe(e.getCause());
    }
  }

  private static AsynchronousSocketChannel[] pair(boolean talked) throws Exception {
    try (AsynchronousServerSocketChannel listener =
        AsynchronousServerSocketChannel.open().bind(new InetSocketAddress(HERE, 0))) {
      AsynchronousSocketChannel client = AsynchronousSocketChannel.open();
      client.connect(listener.getLocalAddress()).get();
      AsynchronousSocketChannel server = listener.accept().get();
      KEPT.addAll(List.of(client, server));
      ByteBuffer one = ByteBuffer.allocate(1);
      for (int i = 0; talked && i < 20; i++) {
        client.write(one.clear()).get();
        server.read(one.clear()).get();
        server.write(one.clear()).get();
        client.read(one.clear()).get();
        Thread.sleep(2);
      }
      return new AsynchronousSocketChannel[] {client, server};
    }
  }

  private static List<State> states() throws Exception {
    List<State> states = new ArrayList<>();
    states.add(new State("new", AsynchronousSocketChannel.open()));
    states.add(
        new State("bound", AsynchronousSocketChannel.open().bind(new InetSocketAddress(HERE, 0))));
    for (boolean talked : new boolean[] {false, true}) {
      String prefix = talked ? "talked, " : "fresh, ";
      states.add(new State(prefix + "client", pair(talked)[0]));
      states.add(new State(prefix + "server", pair(talked)[1]));
      states.add(new State(prefix + "input shut", pair(talked)[0].shutdownInput()));
      states.add(new State(prefix + "output shut", pair(talked)[0].shutdownOutput()));
      AsynchronousSocketChannel[] ended = pair(talked);
      ended[1].close();
      states.add(new State(prefix + "peer closed", ended[0]));
      AsynchronousSocketChannel killed = pair(talked)[0];
      killed.read(ByteBuffer.allocate(1)).cancel(false);
      states.add(new State(prefix + "reading cancelled", killed));
      AsynchronousSocketChannel pending = pair(talked)[0];
      Future<?> _ = pending.read(ByteBuffer.allocate(1));
      states.add(new State(prefix + "reading", pending));
    }
    AsynchronousSocketChannel closed = pair(false)[0];
    closed.close();
    states.add(new State("closed", closed));
    return states;
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T nothing() {
    return null;
  }

  private static void see(List<Question> all, String name, Probe.Call call) {
    all.add(new Question(name, call));
  }

  private static void add(List<Question> all, String name, Probe.Deed deed) {
    see(
        all,
        name,
        () -> {
          deed.run();
          return "done";
        });
  }

  private static SocketAddress dead() throws Exception {
    try (ServerSocket gone = new ServerSocket(0, 1, HERE)) {
      return gone.getLocalSocketAddress();
    }
  }

  private static List<Question> questions(AsynchronousSocketChannel c) {
    InetSocketAddress unresolved = InetSocketAddress.createUnresolved("x.invalid", 1);
    UnixDomainSocketAddress unix = UnixDomainSocketAddress.of("/nowhere");
    List<Question> all = new ArrayList<>();
    add(all, "bind(null)", () -> c.bind(null));
    add(all, "bind(unresolved)", () -> c.bind(unresolved));
    add(all, "bind(unix)", () -> c.bind(unix));
    add(all, "bind(not ours)", () -> c.bind(new InetSocketAddress("192.0.2.1", 0)));
    see(all, "connect(null)", () -> get(c.connect(nothing())));
    see(all, "connect(unresolved)", () -> get(c.connect(unresolved)));
    see(all, "connect(unix)", () -> get(c.connect(unix)));
    see(all, "connect(dead)", () -> get(c.connect(dead())));
    see(all, "connect(multicast)", () -> get(c.connect(new InetSocketAddress("224.0.0.1", 9))));
    see(
        all,
        "connect(dead), handled",
        () -> {
          Waiter<Void> waiter = new Waiter<>();
          c.connect(dead(), "it", waiter);
          return waiter.await();
        });
    add(all, "connect without handler", () -> c.connect(dead(), "it", nothing()));
    // Not asked: a connect to the wildcard address. The JDK's asynchronous channel then says that
    // its peer has the wildcard address; here it is the loopback address, as with other channels.
    see(
        all,
        "connect twice",
        () -> {
          try (ServerSocket listener = new ServerSocket(0, 5, HERE)) {
            return get(c.connect(listener.getLocalSocketAddress()))
                + " "
                + get(c.connect(listener.getLocalSocketAddress()));
          }
        });
    see(all, "getLocalAddress", c::getLocalAddress);
    see(all, "getRemoteAddress", c::getRemoteAddress);
    see(all, "read nothing", () -> get(c.read(ByteBuffer.allocate(0))));
    see(all, "read null", () -> get(c.read(nothing())));
    see(all, "read read-only", () -> get(c.read(ByteBuffer.allocate(1).asReadOnlyBuffer())));
    add(all, "read without handler", () -> c.read(ByteBuffer.allocate(1), "it", nothing()));
    see(
        all,
        "read nothing, handled",
        () -> {
          Waiter<Integer> waiter = new Waiter<>();
          c.read(ByteBuffer.allocate(0), "it", waiter);
          return waiter.await();
        });
    see(
        all,
        "read in time",
        () -> {
          Waiter<Integer> waiter = new Waiter<>();
          c.read(ByteBuffer.allocate(1), 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await()
              + ", then "
              + Probe.outcome(() -> get(c.read(ByteBuffer.allocate(0))))
              + ", then "
              + Probe.outcome(() -> c.read(ByteBuffer.allocate(1)).isDone());
        });
    see(
        all,
        "read arrays in time",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          c.read(
              new ByteBuffer[] {ByteBuffer.allocate(1), ByteBuffer.allocate(1)},
              0,
              2,
              50,
              TimeUnit.MILLISECONDS,
              "it",
              waiter);
          return waiter.await();
        });
    see(
        all,
        "read no arrays",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          c.read(new ByteBuffer[0], 0, 0, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    see(
        all,
        "read empty arrays",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          c.read(
              new ByteBuffer[] {ByteBuffer.allocate(0)},
              0,
              1,
              50,
              TimeUnit.MILLISECONDS,
              "it",
              waiter);
          return waiter.await();
        });
    see(
        all,
        "read arrays out of bounds",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          c.read(new ByteBuffer[1], 1, 1, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    see(
        all,
        "read array of null",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          c.read(new ByteBuffer[1], 0, 1, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    see(
        all,
        "read array read-only",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          ByteBuffer[] some = {ByteBuffer.allocate(1).asReadOnlyBuffer()};
          c.read(some, 0, 1, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    see(
        all,
        "two reads",
        () -> {
          Future<?> one = c.read(ByteBuffer.allocate(1));
          Future<?> two = c.read(ByteBuffer.allocate(1));
          return one.isDone() + " " + two.isDone();
        });
    see(
        all,
        "read, cancelled",
        () -> {
          Future<?> read = c.read(ByteBuffer.allocate(1));
          boolean cancelled = read.cancel(false);
          return cancelled
              + " "
              + read.isCancelled()
              + " "
              + c.isOpen()
              + " "
              + Probe.outcome(() -> c.read(ByteBuffer.allocate(1)).isDone());
        });
    see(
        all,
        "read, cancelled with force",
        () -> {
          Future<?> read = c.read(ByteBuffer.allocate(1));
          boolean cancelled = read.cancel(true);
          return cancelled + " " + read.isCancelled() + " " + c.isOpen();
        });
    see(
        all,
        "read, closed",
        () -> {
          Future<?> read = c.read(ByteBuffer.allocate(1));
          c.close();
          return get(read);
        });
    see(
        all,
        "read, not in time for the future",
        () -> {
          Future<?> read = c.read(ByteBuffer.allocate(1));
          try {
            return read.get(20, TimeUnit.MILLISECONDS);
          } catch (TimeoutException e) {
            return "still waiting " + read.isDone();
          }
        });
    see(
        all,
        "read, input shut meanwhile",
        () -> {
          Future<?> read = c.read(ByteBuffer.allocate(1));
          c.shutdownInput();
          return get(read);
        });
    see(all, "write nothing", () -> get(c.write(ByteBuffer.allocate(0))));
    see(all, "write null", () -> get(c.write(nothing())));
    see(all, "write one", () -> get(c.write(ByteBuffer.allocate(1))));
    add(all, "write without handler", () -> c.write(ByteBuffer.allocate(1), "it", nothing()));
    see(
        all,
        "write, handled",
        () -> {
          Waiter<Integer> waiter = new Waiter<>();
          c.write(ByteBuffer.allocate(3), 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    see(
        all,
        "write arrays",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          ByteBuffer[] some = {ByteBuffer.allocate(3), ByteBuffer.allocate(2)};
          c.write(some, 0, 2, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    see(
        all,
        "write no arrays",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          c.write(new ByteBuffer[0], 0, 0, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    see(
        all,
        "write empty arrays",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          ByteBuffer[] some = {ByteBuffer.allocate(0)};
          c.write(some, 0, 1, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    see(
        all,
        "write array of null",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          c.write(new ByteBuffer[1], 0, 1, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    see(
        all,
        "write out of bounds",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          c.write(new ByteBuffer[1], 0, 2, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    add(all, "shutdownInput", c::shutdownInput);
    add(all, "shutdownInput twice", () -> c.shutdownInput().shutdownInput());
    add(all, "shutdownOutput", c::shutdownOutput);
    add(all, "shutdownOutput twice", () -> c.shutdownOutput().shutdownOutput());
    see(
        all,
        "option after shutdownOutput",
        () ->
            c.shutdownOutput()
                .setOption(java.net.StandardSocketOptions.TCP_NODELAY, true)
                .isOpen());
    add(
        all,
        "close twice",
        () -> {
          c.close();
          c.close();
        });
    see(
        all,
        "stream's write",
        () -> {
          Channels.newOutputStream(c).write(new byte[2]);
          return "written";
        });
    see(
        all,
        "interrupted write",
        () -> {
          Thread.currentThread().interrupt();
          try {
            Future<?> write = c.write(ByteBuffer.allocate(1));
            return Probe.outcome(() -> get(write)) + " " + Thread.interrupted();
          } finally {
            Thread.interrupted();
          }
        });
    return all;
  }

  // -- listeners -------------------------------------------------------------------------------

  private static void listeners() throws Exception {
    for (int state = 0; state < 4; state++) {
      String name = List.of("new", "bound", "accepting", "closed").get(state) + " listener: ";
      for (int i = 0; i < questions(AsynchronousServerSocketChannel.open()).size(); i++) {
        AsynchronousServerSocketChannel c = AsynchronousServerSocketChannel.open();
        if (state > 0) {
          c.bind(new InetSocketAddress(HERE, 0));
        }
        if (state == 2) {
          Future<?> _ = c.accept();
        }
        if (state == 3) {
          c.close();
        }
        Question question = questions(c).get(i);
        Probe.see(name + question.name(), question.call());
        Probe.see("  then", () -> c.isOpen() + " " + text(c));
        c.close();
      }
    }
  }

  private static List<Question> questions(AsynchronousServerSocketChannel c) {
    List<Question> all = new ArrayList<>();
    add(all, "bind(null)", () -> c.bind(null));
    add(all, "bind(null, -1)", () -> c.bind(null, -1));
    add(all, "bind(unix)", () -> c.bind(UnixDomainSocketAddress.of("/nowhere")));
    add(all, "bind(unresolved)", () -> c.bind(InetSocketAddress.createUnresolved("x.invalid", 0)));
    add(all, "bind(not ours)", () -> c.bind(new InetSocketAddress("192.0.2.1", 0)));
    add(
        all,
        "bind(taken)",
        () -> {
          try (ServerSocket taken = new ServerSocket(0, 1, HERE)) {
            c.bind(taken.getLocalSocketAddress());
          }
        });
    see(all, "getLocalAddress", c::getLocalAddress);
    add(all, "accept without handler", () -> c.accept("it", nothing()));
    see(
        all,
        "accept, closed",
        () -> {
          Future<?> accept = c.accept();
          c.close();
          return get(accept);
        });
    see(
        all,
        "accept, closed, handled",
        () -> {
          Waiter<AsynchronousSocketChannel> waiter = new Waiter<>();
          c.accept("it", waiter);
          c.close();
          return waiter.await();
        });
    see(
        all,
        "accept twice",
        () -> {
          Future<?> one = c.accept();
          Future<?> two = c.accept();
          return one.isDone() + " " + two.isDone();
        });
    see(
        all,
        "accept, cancelled",
        () -> {
          Future<?> accept = c.accept();
          return accept.cancel(false)
              + " "
              + c.isOpen()
              + " "
              + Probe.outcome(() -> c.accept().isDone());
        });
    see(
        all,
        "accept, cancelled with force",
        () -> {
          Future<?> accept = c.accept();
          return accept.cancel(true) + " " + c.isOpen();
        });
    see(
        all,
        "accept",
        () -> {
          Future<AsynchronousSocketChannel> accept = c.accept();
          try (AsynchronousSocketChannel client = AsynchronousSocketChannel.open()) {
            client.connect(c.getLocalAddress()).get(20, TimeUnit.SECONDS);
            try (AsynchronousSocketChannel accepted = accept.get(20, TimeUnit.SECONDS)) {
              return accepted.getRemoteAddress().equals(client.getLocalAddress());
            }
          }
        });
    return all;
  }

  // -- groups ----------------------------------------------------------------------------------

  private static void groups() throws Exception {
    Probe.see(
        "0 threads",
        () -> AsynchronousChannelGroup.withFixedThreadPool(0, Executors.defaultThreadFactory()));
    Probe.see("no factory", () -> AsynchronousChannelGroup.withFixedThreadPool(1, nothing()));
    Probe.see("no executor", () -> AsynchronousChannelGroup.withThreadPool(nothing()));
    Probe.see(
        "no cached executor", () -> AsynchronousChannelGroup.withCachedThreadPool(nothing(), 1));
    List<AsynchronousChannelGroup> groups =
        List.of(
            AsynchronousChannelGroup.withFixedThreadPool(2, Executors.defaultThreadFactory()),
            AsynchronousChannelGroup.withCachedThreadPool(Executors.newCachedThreadPool(), 1),
            AsynchronousChannelGroup.withThreadPool(Executors.newFixedThreadPool(2)));
    for (AsynchronousChannelGroup group : groups) {
      Probe.see(
          "provider",
          () -> group.provider() == java.nio.channels.spi.AsynchronousChannelProvider.provider());
      Probe.see(
          "an executor",
          () -> {
            CompletableFuture<Boolean> ran = new CompletableFuture<>();
            ((Executor) group).execute(() -> ran.complete(true));
            return ran.get(20, TimeUnit.SECONDS);
          });
      AsynchronousSocketChannel c = AsynchronousSocketChannel.open(group);
      AsynchronousServerSocketChannel s = AsynchronousServerSocketChannel.open(group);
      s.bind(new InetSocketAddress(HERE, 0));
      Probe.see("connected", () -> get(c.connect(s.getLocalAddress())));
      AsynchronousSocketChannel accepted = s.accept().get();
      AtomicReference<String> handled = new AtomicReference<>("nothing");
      Waiter<Integer> read = new Waiter<>();
      accepted.read(ByteBuffer.allocate(9), null, read);
      Waiter<Integer> written = new Waiter<>();
      c.write(ByteBuffer.allocate(5), null, written);
      Probe.see("written", written::await);
      Probe.see("read", read::await);
      Waiter<Integer> pending = new Waiter<>();
      accepted.read(ByteBuffer.allocate(9), null, pending);
      Probe.see("state", () -> group.isShutdown() + " " + group.isTerminated());
      group.shutdown();
      group.shutdown();
      Probe.see("shut down", () -> group.isShutdown() + " " + group.isTerminated());
      Probe.see("await", () -> group.awaitTermination(20, TimeUnit.MILLISECONDS));
      Probe.see("open then", () -> AsynchronousSocketChannel.open(group));
      Probe.see("listen then", () -> AsynchronousServerSocketChannel.open(group));
      Probe.see("still works", () -> get(c.write(ByteBuffer.allocate(2))));
      Probe.see("still read", pending::await);
      group.shutdownNow();
      group.shutdownNow();
      Probe.see("closed by that", () -> c.isOpen() + " " + s.isOpen() + " " + accepted.isOpen());
      Probe.see("await", () -> group.awaitTermination(20, TimeUnit.SECONDS));
      Probe.see("ended", () -> group.isShutdown() + " " + group.isTerminated());
      Probe.see(
          "execute then",
          () -> {
            try {
              ((Executor) group).execute(() -> handled.set("ran"));
              return "taken";
            } catch (RejectedExecutionException e) {
              return "rejected"; // in the words of its pool
            }
          });
      Probe.see("which", handled::get);
    }
  }
}
