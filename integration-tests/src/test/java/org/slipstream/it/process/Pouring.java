package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Both ends of every connection write all the time, and read and compare all the time. */
final class Pouring {
  private final List<Flow> flows = new ArrayList<>();

  private record Flow(
      Peer from,
      String out,
      CompletableFuture<String> written,
      Peer to,
      CompletableFuture<String> read) {
    static Flow begin(Peer from, String out, Peer to, String in, int piece) throws Exception {
      CompletableFuture<String> read = to.begin("readToEnd " + in + " " + piece);
      String pour = "pour " + out + " " + piece + " " + piece;
      return new Flow(from, out, from.begin(pour), to, read);
    }
  }

  /**
   * One more connection.
   *
   * @param name of it at the client behind {@code c}, and at the server behind {@code s}
   * @param at the port and the address of the listener {@code l} of the server
   * @param piece bytes of each write
   */
  void begin(Peer client, Peer server, String name, String at, int piece) throws Exception {
    client.ask("connect c" + name + " " + at);
    server.ask("accept l s" + name);
    flows.add(Flow.begin(client, "c" + name, server, "s" + name, piece));
    flows.add(Flow.begin(server, "s" + name, client, "c" + name, piece));
  }

  /**
   * Fails if a byte was lost, doubled or changed, or if there were few.
   *
   * @param least bytes of each way
   */
  void end(long least, Peer... ends) throws Exception {
    for (Peer peer : ends) {
      peer.ask("enough");
    }
    for (Flow flow : flows) {
      long written = Long.parseLong(flow.from.ok(flow.written, "pour"));
      assertThat(written).isGreaterThan(least);
      flow.from.ask("shutdown " + flow.out);
      assertThat(flow.to.ok(flow.read, "readToEnd")).isEqualTo("eof " + written);
    }
  }
}
