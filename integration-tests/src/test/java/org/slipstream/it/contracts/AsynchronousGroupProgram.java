package org.slipstream.it.contracts;

import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** {@code AsynchronousServerSocketChannel} and {@code AsynchronousChannelGroup}. */
public final class AsynchronousGroupProgram {
  private AsynchronousGroupProgram() {}

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    listeners();
    groups();
    System.exit(0); // whatever is left open
  }

  private static void listeners() throws Exception {
    for (int state = 0; state < 4; state++) {
      String name = List.of("new", "bound", "accepting", "closed").get(state) + " listener";
      for (int i = 0; i < questions(AsynchronousServerSocketChannel.open()).size(); i++) {
        AsynchronousServerSocketChannel c = AsynchronousServerSocketChannel.open();
        if (state > 0) {
          c.bind(new InetSocketAddress(Pairs.HERE, 0));
        }
        if (state == 2) {
          Future<?> _ = c.accept();
        }
        if (state == 3) {
          c.close();
        }
        questions(c).ask(i, name);
        Probe.see("  then", () -> c.isOpen() + " " + Pairs.text(c));
        c.close();
      }
    }
  }

  private static Questions questions(AsynchronousServerSocketChannel c) {
    Questions all = new Questions();
    all.add("bind(null)", () -> c.bind(null));
    all.add("bind(null, -1)", () -> c.bind(null, -1));
    all.add("bind(unix)", () -> c.bind(UnixDomainSocketAddress.of("/nowhere")));
    all.add("bind(unresolved)", () -> c.bind(InetSocketAddress.createUnresolved("x.invalid", 0)));
    all.add("bind(not ours)", () -> c.bind(new InetSocketAddress("192.0.2.1", 0)));
    all.add(
        "bind(taken)",
        () -> {
          try (ServerSocket taken = new ServerSocket(0, 1, Pairs.HERE)) {
            c.bind(taken.getLocalSocketAddress());
          }
        });
    all.see("getLocalAddress", c::getLocalAddress);
    all.add("accept without handler", () -> c.accept("it", Pairs.nothing()));
    all.see(
        "accept, closed",
        () -> {
          Future<?> accept = c.accept();
          c.close();
          return Waiter.get(accept);
        });
    all.see(
        "accept, closed, handled",
        () -> {
          Waiter<AsynchronousSocketChannel> waiter = new Waiter<>();
          c.accept("it", waiter);
          c.close();
          return waiter.await();
        });
    all.see(
        "accept twice",
        () -> {
          Future<?> one = c.accept();
          Future<?> two = c.accept();
          return one.isDone() + " " + two.isDone();
        });
    all.see(
        "accept, cancelled",
        () -> {
          Future<?> accept = c.accept();
          return accept.cancel(false)
              + " "
              + c.isOpen()
              + " "
              + Probe.outcome(() -> c.accept().isDone());
        });
    all.see(
        "accept, cancelled with force",
        () -> {
          Future<?> accept = c.accept();
          return accept.cancel(true) + " " + c.isOpen();
        });
    all.see(
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

  private static void groups() throws Exception {
    Probe.see(
        "0 threads",
        () -> AsynchronousChannelGroup.withFixedThreadPool(0, Executors.defaultThreadFactory()));
    Probe.see("no factory", () -> AsynchronousChannelGroup.withFixedThreadPool(1, Pairs.nothing()));
    Probe.see("no executor", () -> AsynchronousChannelGroup.withThreadPool(Pairs.nothing()));
    Probe.see(
        "no cached executor",
        () -> AsynchronousChannelGroup.withCachedThreadPool(Pairs.nothing(), 1));
    List<AsynchronousChannelGroup> groups =
        List.of(
            AsynchronousChannelGroup.withFixedThreadPool(2, Executors.defaultThreadFactory()),
            AsynchronousChannelGroup.withCachedThreadPool(Executors.newCachedThreadPool(), 1),
            AsynchronousChannelGroup.withThreadPool(Executors.newFixedThreadPool(2)));
    for (AsynchronousChannelGroup group : groups) {
      Probe.see("provider", () -> group.provider().equals(AsynchronousChannelProvider.provider()));
      Probe.see(
          "an executor",
          () -> {
            CompletableFuture<Boolean> ran = new CompletableFuture<>();
            ((Executor) group).execute(() -> ran.complete(true));
            return ran.get(20, TimeUnit.SECONDS);
          });
      AsynchronousSocketChannel c = AsynchronousSocketChannel.open(group);
      AsynchronousServerSocketChannel s = AsynchronousServerSocketChannel.open(group);
      s.bind(new InetSocketAddress(Pairs.HERE, 0));
      Probe.see("connected", () -> Waiter.get(c.connect(s.getLocalAddress())));
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
      Probe.see("still works", () -> Waiter.get(c.write(ByteBuffer.allocate(2))));
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
