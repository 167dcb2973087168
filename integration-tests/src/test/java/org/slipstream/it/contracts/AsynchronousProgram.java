package org.slipstream.it.contracts;

import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** {@code AsynchronousSocketChannel}: each method in each state. */
public final class AsynchronousProgram {

  private AsynchronousProgram() {}

  private record State(String name, AsynchronousSocketChannel channel) {}

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    for (int i = 0; i < questions(AsynchronousSocketChannel.open()).size(); i++) {
      for (State state : states()) {
        questions(state.channel()).ask(i, state.name());
        Probe.see("  then", () -> describe(state.channel()));
        state.channel().close();
      }
    }
    System.exit(0); // whatever is left open
  }

  private static String describe(AsynchronousSocketChannel c) {
    return c.isOpen() + " " + Pairs.text(c);
  }

  private static List<State> states() throws Exception {
    List<State> states = new ArrayList<>();
    states.add(new State("new", AsynchronousSocketChannel.open()));
    states.add(
        new State(
            "bound", AsynchronousSocketChannel.open().bind(new InetSocketAddress(Pairs.HERE, 0))));
    for (boolean talked : new boolean[] {false, true}) {
      String prefix = talked ? "talked, " : "fresh, ";
      states.add(new State(prefix + "client", Pairs.asynchronous(talked)[0]));
      states.add(new State(prefix + "server", Pairs.asynchronous(talked)[1]));
      states.add(new State(prefix + "input shut", Pairs.asynchronous(talked)[0].shutdownInput()));
      states.add(new State(prefix + "output shut", Pairs.asynchronous(talked)[0].shutdownOutput()));
      AsynchronousSocketChannel[] ended = Pairs.asynchronous(talked);
      ended[1].close();
      states.add(new State(prefix + "peer closed", ended[0]));
      AsynchronousSocketChannel killed = Pairs.asynchronous(talked)[0];
      killed.read(ByteBuffer.allocate(1)).cancel(false);
      states.add(new State(prefix + "reading cancelled", killed));
      AsynchronousSocketChannel pending = Pairs.asynchronous(talked)[0];
      Future<?> _ = pending.read(ByteBuffer.allocate(1));
      states.add(new State(prefix + "reading", pending));
    }
    AsynchronousSocketChannel closed = Pairs.asynchronous(false)[0];
    closed.close();
    states.add(new State("closed", closed));
    return states;
  }

  private static Questions questions(AsynchronousSocketChannel c) {
    InetSocketAddress unresolved = InetSocketAddress.createUnresolved("x.invalid", 1);
    UnixDomainSocketAddress unix = UnixDomainSocketAddress.of("/nowhere");
    Questions all = new Questions();
    all.add("bind(null)", () -> c.bind(null));
    all.add("bind(unresolved)", () -> c.bind(unresolved));
    all.add("bind(unix)", () -> c.bind(unix));
    all.add("bind(not ours)", () -> c.bind(new InetSocketAddress("192.0.2.1", 0)));
    all.see("connect(null)", () -> Waiter.get(c.connect(Pairs.nothing())));
    all.see("connect(unresolved)", () -> Waiter.get(c.connect(unresolved)));
    all.see("connect(unix)", () -> Waiter.get(c.connect(unix)));
    all.see("connect(dead)", () -> Waiter.get(c.connect(Pairs.dead())));
    all.see(
        "connect(multicast)", () -> Waiter.get(c.connect(new InetSocketAddress("224.0.0.1", 9))));
    all.see(
        "connect(dead), handled",
        () -> {
          Waiter<Void> waiter = new Waiter<>();
          c.connect(Pairs.dead(), "it", waiter);
          return waiter.await();
        });
    all.add("connect without handler", () -> c.connect(Pairs.dead(), "it", Pairs.nothing()));
    // Not asked: a connect to the wildcard address. The JDK's asynchronous channel then says that
    // its peer has the wildcard address; here it is the loopback address, as with other channels.
    all.see(
        "connect twice",
        () -> {
          try (ServerSocket listener = new ServerSocket(0, 5, Pairs.HERE)) {
            return Waiter.get(c.connect(listener.getLocalSocketAddress()))
                + " "
                + Waiter.get(c.connect(listener.getLocalSocketAddress()));
          }
        });
    all.see("getLocalAddress", c::getLocalAddress);
    all.see("getRemoteAddress", c::getRemoteAddress);
    all.see("read nothing", () -> Waiter.get(c.read(ByteBuffer.allocate(0))));
    all.see("read null", () -> Waiter.get(c.read(Pairs.nothing())));
    all.see("read read-only", () -> Waiter.get(c.read(ByteBuffer.allocate(1).asReadOnlyBuffer())));
    all.add("read without handler", () -> c.read(ByteBuffer.allocate(1), "it", Pairs.nothing()));
    all.see(
        "read nothing, handled",
        () -> {
          Waiter<Integer> waiter = new Waiter<>();
          c.read(ByteBuffer.allocate(0), "it", waiter);
          return waiter.await();
        });
    all.see(
        "read in time",
        () -> {
          Waiter<Integer> waiter = new Waiter<>();
          c.read(ByteBuffer.allocate(1), 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await()
              + ", then "
              + Probe.outcome(() -> Waiter.get(c.read(ByteBuffer.allocate(0))))
              + ", then "
              + Probe.outcome(() -> c.read(ByteBuffer.allocate(1)).isDone());
        });
    all.see(
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
    all.see(
        "read no arrays",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          c.read(new ByteBuffer[0], 0, 0, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    all.see(
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
    all.see(
        "read arrays out of bounds",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          c.read(new ByteBuffer[1], 1, 1, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    all.see(
        "read array of null",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          c.read(new ByteBuffer[1], 0, 1, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    all.see(
        "read array read-only",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          ByteBuffer[] some = {ByteBuffer.allocate(1).asReadOnlyBuffer()};
          c.read(some, 0, 1, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    all.see(
        "two reads",
        () -> {
          Future<?> one = c.read(ByteBuffer.allocate(1));
          Future<?> two = c.read(ByteBuffer.allocate(1));
          return one.isDone() + " " + two.isDone();
        });
    all.see(
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
    all.see(
        "read, cancelled with force",
        () -> {
          Future<?> read = c.read(ByteBuffer.allocate(1));
          boolean cancelled = read.cancel(true);
          return cancelled + " " + read.isCancelled() + " " + c.isOpen();
        });
    all.see(
        "read, closed",
        () -> {
          Future<?> read = c.read(ByteBuffer.allocate(1));
          c.close();
          return Waiter.get(read);
        });
    all.see(
        "read, not in time for the future",
        () -> {
          Future<?> read = c.read(ByteBuffer.allocate(1));
          try {
            return read.get(20, TimeUnit.MILLISECONDS);
          } catch (TimeoutException e) {
            return "still waiting " + read.isDone();
          }
        });
    all.see(
        "read, input shut meanwhile",
        () -> {
          Future<?> read = c.read(ByteBuffer.allocate(1));
          c.shutdownInput();
          return Waiter.get(read);
        });
    all.see("write nothing", () -> Waiter.get(c.write(ByteBuffer.allocate(0))));
    all.see("write null", () -> Waiter.get(c.write(Pairs.nothing())));
    all.see("write one", () -> Waiter.get(c.write(ByteBuffer.allocate(1))));
    all.add("write without handler", () -> c.write(ByteBuffer.allocate(1), "it", Pairs.nothing()));
    all.see(
        "write, handled",
        () -> {
          Waiter<Integer> waiter = new Waiter<>();
          c.write(ByteBuffer.allocate(3), 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    all.see(
        "write arrays",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          ByteBuffer[] some = {ByteBuffer.allocate(3), ByteBuffer.allocate(2)};
          c.write(some, 0, 2, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    all.see(
        "write no arrays",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          c.write(new ByteBuffer[0], 0, 0, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    all.see(
        "write empty arrays",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          ByteBuffer[] some = {ByteBuffer.allocate(0)};
          c.write(some, 0, 1, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    all.see(
        "write array of null",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          c.write(new ByteBuffer[1], 0, 1, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    all.see(
        "write out of bounds",
        () -> {
          Waiter<Long> waiter = new Waiter<>();
          c.write(new ByteBuffer[1], 0, 2, 50, TimeUnit.MILLISECONDS, "it", waiter);
          return waiter.await();
        });
    all.add("shutdownInput", c::shutdownInput);
    all.add("shutdownInput twice", () -> c.shutdownInput().shutdownInput());
    all.add("shutdownOutput", c::shutdownOutput);
    all.add("shutdownOutput twice", () -> c.shutdownOutput().shutdownOutput());
    all.see(
        "option after shutdownOutput",
        () ->
            c.shutdownOutput()
                .setOption(java.net.StandardSocketOptions.TCP_NODELAY, true)
                .isOpen());
    all.add(
        "close twice",
        () -> {
          c.close();
          c.close();
        });
    all.see(
        "stream's write",
        () -> {
          Channels.newOutputStream(c).write(new byte[2]);
          return "written";
        });
    all.see(
        "interrupted write",
        () -> {
          Thread.currentThread().interrupt();
          try {
            Future<?> write = c.write(ByteBuffer.allocate(1));
            return Probe.outcome(() -> Waiter.get(write)) + " " + Thread.interrupted();
          } finally {
            Thread.interrupted();
          }
        });
    return all;
  }
}
