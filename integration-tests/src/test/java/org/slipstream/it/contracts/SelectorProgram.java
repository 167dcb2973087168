package org.slipstream.it.contracts;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import java.net.StandardProtocolFamily;
import java.nio.channels.Channels;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Set;

/** {@code Selector} and {@code SelectionKey}. */
public final class SelectorProgram {
  private SelectorProgram() {}

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    keys();
    selectors();
    System.exit(0); // whatever is left open
  }

  private static void keys() throws Exception {
    for (boolean talked : new boolean[] {false, true}) {
      String prefix = talked ? "talked, " : "fresh, ";
      SocketChannel c = Pairs.channels(talked)[0];
      c.configureBlocking(false);
      try (Selector selector = Selector.open()) {
        SelectionKey key = c.register(selector, OP_READ | OP_WRITE);
        Probe.see(prefix + "selectNow", selector::selectNow);
        Probe.see(prefix + "ready", key::readyOps);
        Probe.see(
            prefix + "predicates",
            () ->
                key.isReadable()
                    + " "
                    + key.isWritable()
                    + " "
                    + key.isConnectable()
                    + " "
                    + key.isAcceptable());
        Probe.see(
            prefix + "text",
            () -> key.toString().replaceAll("channel=.*, selector=[^,]*", "") + key.isValid());
        Probe.see(prefix + "again", selector::selectNow);
        Probe.see(prefix + "selected", () -> selector.selectedKeys().size());
        Probe.see(prefix + "bad interest", () -> key.interestOps(OP_ACCEPT));
        Probe.see(prefix + "bad or", () -> key.interestOpsOr(OP_ACCEPT));
        Probe.see(prefix + "any and", () -> key.interestOpsAnd(OP_ACCEPT));
        Probe.see(prefix + "now", key::interestOps);
        Probe.see(prefix + "or", () -> key.interestOpsOr(OP_WRITE));
        Probe.see(
            prefix + "registered again", () -> Probe.same(c.register(selector, OP_READ, "x"), key));
        Probe.see(prefix + "attachment", key::attachment);
        Probe.see(
            prefix + "registered once more", () -> Probe.same(c.register(selector, OP_READ), key));
        Probe.see(prefix + "attachment", key::attachment);
        key.cancel();
        Probe.see(prefix + "cancelled, ready", key::readyOps);
        Probe.see(prefix + "cancelled, interest", key::interestOps);
        Probe.see(prefix + "cancelled, set", () -> key.interestOps(0));
        Probe.see(prefix + "cancelled, or bad", () -> key.interestOpsOr(OP_ACCEPT));
        Probe.see(prefix + "cancelled, and", () -> key.interestOpsAnd(0));
        Probe.see(prefix + "cancelled, readable", key::isReadable);
        Probe.see(prefix + "cancelled, register", () -> c.register(selector, 0));
        Probe.see(prefix + "cancelled, text", () -> key.toString().replaceAll(".*, ", ""));
        Probe.see(prefix + "cancelled, keys", () -> selector.keys().size());
        Probe.see(prefix + "cancelled, selected", () -> selector.selectedKeys().size());
        Probe.see(prefix + "cancelled, registered", c::isRegistered);
        selector.selectNow();
        Probe.see(prefix + "gone, keys", () -> selector.keys().size());
        Probe.see(prefix + "gone, selected", () -> selector.selectedKeys().size());
        Probe.see(prefix + "gone, registered", c::isRegistered);
        SelectionKey second = c.register(selector, OP_WRITE);
        c.close();
        Probe.see(prefix + "channel closed, valid", second::isValid);
        Probe.see(prefix + "channel closed, registered", c::isRegistered);
        Probe.see(prefix + "channel closed, select", selector::selectNow);
        Probe.see(prefix + "channel closed, keyFor", () -> c.keyFor(selector));
      }
    }
    try (ServerSocketChannel unix = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        Selector selector = Selector.open()) {
      unix.configureBlocking(false);
      Probe.see("unix key", () -> unix.register(selector, OP_ACCEPT).isValid());
    }
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // as programs without generics do
  private static void selectors() throws Exception {
    Selector selector = Selector.open();
    SocketChannel c = Pairs.channels(false)[0];
    c.configureBlocking(false);
    SelectionKey key = c.register(selector, OP_WRITE);
    Set keys = selector.keys();
    Set selected = selector.selectedKeys();
    selector.selectNow();
    for (Set set : List.of(keys, selected)) {
      Probe.see("add", () -> set.add(key));
      Probe.see("add text", () -> set.add("text"));
      Probe.see("add null", () -> set.add(null));
      Probe.see("addAll", () -> set.addAll(List.of(key)));
      Probe.see("addAll of nothing", () -> set.addAll(List.of()));
      Probe.see("contains", () -> set.contains(key) + " " + set.contains("text"));
      Probe.see("contains null", () -> set.contains(null));
      Probe.see("remove text", () -> set.remove("text"));
      Probe.see("size", () -> set.size() + " " + set.isEmpty());
      Probe.see("array", () -> set.toArray().length);
      Probe.see("equals", () -> set.equals(Set.of(key)) + " " + (set.hashCode() == key.hashCode()));
      Probe.see(
          "iterator's remove too early",
          () -> {
            set.iterator().remove();
            return "removed";
          });
      Probe.see(
          "iterator's end",
          () -> {
            var i = set.iterator();
            i.next();
            return i.next();
          });
      Probe.see("removeIf", () -> set.removeIf(k -> false));
      Probe.see("retainAll", () -> set.retainAll(List.of(key)));
      Probe.see("removeAll", () -> set.removeAll(List.of("text")));
      Probe.see("remove", () -> set.remove(key));
      Probe.see("remove again", () -> set.remove(key));
      Probe.deed("clear", set::clear);
    }
    Probe.see("select(-1)", () -> selector.select(-1));
    Probe.see("select(action, -1)", () -> selector.select(k -> {}, -1));
    Probe.see("select(null)", () -> selector.select(null));
    Probe.see("select(null, 1)", () -> selector.select(null, 1));
    Probe.see("selectNow(null)", () -> selector.selectNow(null));
    Probe.see(
        "select in an action",
        () -> selector.select(k -> Probe.see("  within", () -> selector.selectNow())));
    Probe.see(
        "an action that throws",
        () ->
            selector.select(k -> {
              throw new IllegalArgumentException("by the action");
            }));
    Probe.see("a cancelling action", () -> selector.select(SelectionKey::cancel));
    Probe.see("after it", () -> selector.keys().size());
    Probe.see(
        "interrupted",
        () -> {
          Thread.currentThread().interrupt();
          return selector.select() + " " + selector.isOpen() + " " + Thread.interrupted();
        });
    Probe.see("woken", () -> selector.wakeup().select());
    Probe.see(
        "provider",
        () -> Probe.same(selector.provider(), java.nio.channels.spi.SelectorProvider.provider()));
    Probe.see(
        "closing action",
        () -> {
          SocketChannel d = Pairs.channels(false)[0];
          d.configureBlocking(false);
          d.register(selector, OP_WRITE);
          return selector.select(k -> {
            try {
              selector.close();
            } catch (java.io.IOException e) {
              throw new java.io.UncheckedIOException(e);
            }
          });
        });
    Probe.see("closed, open", selector::isOpen);
    Probe.see("closed, keys", selector::keys);
    Probe.see("closed, selected", selector::selectedKeys);
    Probe.see("closed, select", selector::select);
    Probe.see("closed, selectNow", selector::selectNow);
    Probe.see("closed, select(1)", () -> selector.select(1));
    Probe.see("closed, select(-1)", () -> selector.select(-1));
    Probe.see("closed, select(action)", () -> selector.select(k -> {}));
    Probe.see("closed, wakeup", () -> Probe.same(selector.wakeup(), selector));
    Probe.deed("closed, close", selector::close);
    Probe.see("closed, key", key::isValid);
    Probe.see(
        "streams of channels",
        () -> {
          SocketChannel[] pair = Pairs.channels(false);
          Channels.newOutputStream(pair[0]).write(new byte[3]);
          pair[0].close();
          return Channels.newInputStream(pair[1]).readAllBytes().length;
        });
  }
}
