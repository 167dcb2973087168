package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.testkit.Patience;

/**
 * Only one end runs Slipstream, or something stands between the two: TCP, and no program notices.
 */
class MixedPeersIT {
  private static final String PYTHON_CLIENT =
      """
      import os, socket, sys
      s = socket.create_connection(('127.0.0.1', int(sys.argv[1])), 10)
      for i in range(200):
          data = os.urandom(1 + i * 97)
          s.sendall(data)
          back = b''
          while len(back) < len(data):
              back += s.recv(65536)
          assert back == data
      s.shutdown(socket.SHUT_WR)
      assert s.recv(1) == b''
      print('fine')
      """;
  private static final String PYTHON_SERVER =
      """
      import socket
      l = socket.create_server(('127.0.0.1', 0))
      print(l.getsockname()[1], flush=True)
      s, _ = l.accept()
      while True:
          data = s.recv(65536)
          if not data: break
          s.sendall(data)
      s.close()
      print('fine', flush=True)
      """;

  @RegisterExtension final Children children = new Children();

  private Process python;
  private ServerSocketChannel forwarder;

  @AfterEach
  void endHelpers() throws Exception {
    if (python != null) {
      python.destroyForcibly();
    }
    if (forwarder != null) {
      forwarder.close();
    }
  }

  @Test
  void aPlainClientTalksToAnAcceleratedServer() throws Exception {
    Peer server = children.accelerated();
    Peer client = children.plain();
    client.ask("connect c " + server.echo("l"));
    client.ask("exchange c 300 50000 1");
    assertPlainAndBusy(children.stream(server));
    client.ask("shutdown c");
    assertThat(client.ask("readToEnd c 1")).isEqualTo("eof 0");
    Children.soon().until(() -> children.streams().isEmpty());
    assertSilent(server);
  }

  @Test
  void anAcceleratedClientTalksToAPlainServer() throws Exception {
    Peer server = children.plain();
    Peer client = children.accelerated();
    client.ask("connect c " + server.echo("l"));
    client.ask("exchange c 300 50000 1");
    StreamLine line = children.stream(client);
    assertPlainAndBusy(line);
    assertThat(line.reason()).isEqualTo("PEER_NOT_ACCELERATED");
    client.ask("shutdown c");
    assertThat(client.ask("readToEnd c 1")).isEqualTo("eof 0");
    assertSilent(client);
  }

  @Test
  void aPythonClientTalksToAnAcceleratedServer() throws Exception {
    Peer server = children.accelerated();
    python(PYTHON_CLIENT, Integer.toString(server.echo("l")));
    assertThat(python.inputReader().readLine()).isEqualTo("fine");
    assertThat(python.waitFor(Patience.DEADLINE)).isTrue();
    assertThat(server.errors()).isEmpty();
  }

  @Test
  void anAcceleratedClientTalksToAPythonServer() throws Exception {
    python(PYTHON_SERVER);
    BufferedReader out = python.inputReader();
    Peer client = children.accelerated();
    client.ask("connect c " + out.readLine());
    client.ask("exchange c 200 30000 1");
    assertPlainAndBusy(children.stream(client));
    client.ask("close c");
    assertThat(out.readLine()).isEqualTo("fine");
  }

  private void python(String program, String... arguments) throws Exception {
    try {
      List<String> command = new java.util.ArrayList<>(List.of("python3", "-c", program));
      command.addAll(List.of(arguments));
      python = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    } catch (IOException e) {
      require(false, "there is no python3: " + e.getMessage());
    }
  }

  @Test
  void aPortForwarderBetweenTwoAcceleratedProcessesKeepsThemOnTcp() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    int port = pair.get(0).echo("l");
    int outer = forward(new InetSocketAddress("127.0.0.1", 0), port);
    talkThroughTheForwarder(pair, "127.0.0.1", outer);
  }

  @Test
  void aForwarderOnTheSamePortOfAnotherAddressKeepsThemOnTcp() throws Exception {
    List<Peer> pair = children.acceleratedPair();
    // The server listens everywhere, but for the address that the forwarder took.
    int port = Integer.parseInt(pair.get(0).ask("listen l 0 0.0.0.0"));
    pair.get(0).ask("serve l echo");
    int outer = forward(new InetSocketAddress("127.0.0.2", port), port);
    assertThat(outer).isEqualTo(port);
    talkThroughTheForwarder(pair, "127.0.0.2", outer);
  }

  private void talkThroughTheForwarder(List<Peer> pair, String host, int port) throws Exception {
    Peer client = pair.get(1);
    client.ask("connect c " + port + " " + host);
    for (int i = 0; i < 20; i++) {
      client.ask("exchange c 20 20000 " + i);
    }
    // A client can be asked when its first stream is eligible for an offer.
    Children.soon().until(() -> children.streams().size() == 2);
    assertThat(children.streams()).allSatisfy(MixedPeersIT::assertPlainAndBusy);
    // The way without the forwarder is open all the same.
    client.ask("connect d " + pair.get(0).echo("direct"));
    Children.soon()
        .until(() -> {
          client.ask("exchange d 20 2000 1");
          return children.streams(client).stream().anyMatch(StreamLine::onRing);
        });
    client.ask("exchange c 20 20000 1");
    client.ask("shutdown c");
    assertThat(client.ask("readToEnd c 1")).isEqualTo("eof 0");
  }

  /** An ordinary forwarder, in this plain JVM. */
  private int forward(InetSocketAddress from, int to) throws IOException {
    forwarder = ServerSocketChannel.open();
    forwarder.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    forwarder.setOption(StandardSocketOptions.SO_REUSEPORT, true);
    forwarder.bind(from);
    ServerSocketChannel listener = forwarder;
    Thread.startVirtualThread(() -> {
      try {
        for (; ; ) {
          SocketChannel near = listener.accept();
          SocketChannel far =
              SocketChannel.open(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), to));
          Thread.startVirtualThread(() -> pump(near, far));
          Thread.startVirtualThread(() -> pump(far, near));
        }
      } catch (IOException e) {
        return; // closed
      }
    });
    return ((InetSocketAddress) forwarder.getLocalAddress()).getPort();
  }

  private static void pump(SocketChannel from, SocketChannel to) {
    try {
      Channels.newInputStream(from).transferTo(Channels.newOutputStream(to));
      to.shutdownOutput();
    } catch (IOException e) {
      return; // one of the two is gone
    }
  }

  private static void assertPlainAndBusy(StreamLine line) {
    assertThat(line.carrier()).isEqualTo("tcp");
    assertThat(line.ringBytes()).isZero();
    assertThat(line.plainOut()).isPositive();
    assertThat(line.plainIn()).isPositive();
  }

  private static void assertSilent(Peer peer) throws Exception {
    assertThat(peer.end()).isZero();
    assertThat(peer.foreignOutput()).isEmpty();
    assertThat(peer.errors()).isEmpty();
  }
}
