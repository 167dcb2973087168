package org.slipstream.testkit.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Network;
import org.slipstream.testkit.StaysPlain;
import org.slipstream.testkit.Tape;

/** The other end is a channel of the same carrier, or a socket of a stock JDK. */
@StaysPlain("one end is a stock socket, or both are the same one")
public abstract class MixedPeerContract extends SocketContract {

  private static final int MIB = 1024 * 1024;

  /** Nothing is opened yet. */
  protected MixedPeerContract() {}

  /** Which end is the socket of this row. */
  enum Ours {
    CLIENT,
    SERVER
  }

  private record Mixed(Socket socket, SocketChannel channel) {}

  private Mixed channelPeer(Ours which) throws Exception {
    if (which == Ours.CLIENT) {
      try (ServerSocketChannel listener = carrier().provider().openServerSocketChannel()) {
        listener.bind(Network.anyPort());
        Socket client = open();
        client.connect(listener.getLocalAddress());
        SocketChannel server = closing(listener.accept());
        settle(new Ends(client, server.socket()));
        return new Mixed(client, server);
      }
    }
    ServerSocket listener = listen();
    SocketChannel client = closing(carrier().provider().openSocketChannel());
    client.connect(addressOf(listener));
    Socket server = closing(listener.accept());
    // The channel's adaptor is a Socket too: the carrier is settled, and asserted, through both.
    settle(new Ends(client.socket(), server));
    return new Mixed(server, client);
  }

  @ParameterizedTest
  @EnumSource
  void aSocketTalksToAChannel(Ours which) throws Exception {
    Mixed mixed = channelPeer(which);
    for (int i = 0; i < 300; i++) {
      send(mixed.socket(), "there");
      assertThat(Bytes.read(mixed.channel(), 5)).isEqualTo("there");
      Bytes.write(mixed.channel(), "back");
      assertThat(receive(mixed.socket(), 4)).isEqualTo("back");
    }
  }

  @ParameterizedTest
  @EnumSource
  void megabytesGoBothWaysBetweenASocketAndAChannel(Ours which) throws Exception {
    Mixed mixed = channelPeer(which);
    List<Background<@Nullable Void>> workers =
        List.of(
            Background.run(() -> writeTape(mixed.socket(), new Tape(1), 12 * MIB)),
            Background.run(() -> Bytes.writeTape(mixed.channel(), new Tape(2), 12 * MIB)),
            Background.run(() -> Bytes.readTape(mixed.channel(), new Tape(1), 12 * MIB)),
            Background.run(() -> readTape(mixed.socket(), new Tape(2), 12 * MIB)));
    for (Background<@Nullable Void> worker : workers) {
      worker.result();
    }
    mixed.socket().shutdownOutput();
    assertThat(Bytes.readOne(mixed.channel())).isEqualTo(-1);
    mixed.channel().close();
    assertThat(mixed.socket().getInputStream().read()).isEqualTo(-1);
  }

  private Ends stockPeer(Ours which) throws Exception {
    Sockets stock = new StockSockets();
    Sockets client = which == Ours.CLIENT ? sockets() : stock;
    Sockets server = which == Ours.CLIENT ? stock : sockets();
    try (ServerSocket listener = server.openServer()) {
      listener.bind(Network.anyPort());
      Socket one = closing(client.open());
      one.connect(addressOf(listener));
      Socket other = closing(listener.accept());
      return which == Ours.CLIENT ? new Ends(one, other) : new Ends(other, one);
    }
  }

  @ParameterizedTest
  @EnumSource
  void theStockEndNeverSeesAForeignByte(Ours which) throws Exception {
    Ends ends = stockPeer(which);
    Socket ours = ends.client();
    Socket theirs = ends.server();
    Tape sent = new Tape(1);
    Tape received = new Tape(1);

    for (int i = 0; i < 1000; i++) {
      writeTape(ours, sent, 40);
      readTape(theirs, received, 40);
      writeTape(theirs, sent, 60);
      readTape(ours, received, 60);
    }
    Thread.sleep(A_WHILE);

    assertThat(theirs.getInputStream().available()).isZero();
    ours.close();
    assertThat(theirs.getInputStream().read()).isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  void eitherEndMayResetTheOther(Ours which) throws Exception {
    Ends first = stockPeer(which);
    talk(first);
    reset(first.client());
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> first.server().getInputStream().read())
        .withMessage("Connection reset");

    Ends second = stockPeer(which);
    talk(second);
    reset(second.server());
    assertThatExceptionOfType(SocketException.class)
        .isThrownBy(() -> second.client().getInputStream().read())
        .withMessage("Connection reset");
  }

  @Test
  void aSocketThatIsConnectedToItselfHearsItself() throws Exception {
    // A self-connect is a stream whose two ends are one socket: what is written comes back.
    Socket socket = open();
    socket.bind(Network.anyPort());
    socket.connect(socket.getLocalSocketAddress());

    for (int i = 0; i < 50; i++) {
      exchange(socket, socket, "echo");
    }
    socket.shutdownOutput();
    assertThat(socket.getInputStream().read()).isEqualTo(-1);
  }
}
