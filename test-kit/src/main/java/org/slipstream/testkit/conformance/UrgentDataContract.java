package org.slipstream.testkit.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.InputStream;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.Pair;
import org.slipstream.testkit.StaysPlain;

/** TCP's urgent byte: in line where it is wanted, unseen where it is not, and harmless. */
public abstract class UrgentDataContract extends NioContract {

  /** Nothing is opened yet. */
  protected UrgentDataContract() {}

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anUrgentByteIsReadInItsPlaceWhereItIsWantedInLine(boolean settled) throws Exception {
    Pair pair = settled ? net().settledPair() : net().freshPair();
    pair.server().socket().setOOBInline(true);
    Bytes.exchange(pair.client(), pair.server(), "before");

    Bytes.write(pair.client(), "a");
    pair.client().socket().sendUrgentData('!');
    Bytes.write(pair.client(), "b");

    assertThat(Bytes.read(pair.server(), 3)).isEqualTo("a!b");
    Bytes.exchange(pair.server(), pair.client(), "after");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anUrgentByteIsNotReadWhereItIsNotWanted(boolean settled) throws Exception {
    Pair pair = settled ? net().settledPair() : net().freshPair();
    Bytes.exchange(pair.client(), pair.server(), "before");

    Bytes.write(pair.client(), "a");
    pair.client().socket().sendUrgentData('!');
    Bytes.write(pair.client(), "b");

    assertThat(Bytes.read(pair.server(), 2)).isEqualTo("ab");
    for (int i = 0; i < 50; i++) {
      Bytes.exchange(pair.client(), pair.server(), "after");
      Bytes.exchange(pair.server(), pair.client(), "that");
    }
    pair.client().close();
    assertThat(Bytes.readOne(pair.server())).isEqualTo(-1);
  }

  @StaysPlain("an urgent byte before the switch keeps a stream on TCP")
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anUrgentByteMayBeTheFirstOrTheLastOfAStream(boolean inLine) throws Exception {
    Pair pair = net().freshPair();
    pair.server().socket().setOOBInline(inLine);

    pair.client().socket().sendUrgentData('1');
    Bytes.write(pair.client(), "2");
    pair.client().socket().sendUrgentData('3');
    pair.client().close();

    InputStream in = pair.server().socket().getInputStream();
    assertThat(in.readAllBytes()).asString().isEqualTo(inLine ? "123" : "2");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anUrgentByteCanBeSentInNonBlockingMode(boolean inLine) throws Exception {
    Pair pair = net().settledNonBlockingPair();
    pair.client().socket().setOOBInline(inLine);
    Bytes.exchange(pair.server(), pair.client(), "sync");

    pair.server().socket().sendUrgentData('!');
    Bytes.write(pair.server(), "done");

    String expected = inLine ? "!done" : "done";
    assertThat(Bytes.read(pair.client(), expected.length())).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anUrgentByteNeedsAnOpenOutput(boolean close) throws Exception {
    Pair pair = net().settledPair();
    SocketChannel client = pair.client();
    if (close) {
      client.close();
    } else {
      client.shutdownOutput();
    }

    assertThatExceptionOfType(ClosedChannelException.class)
        .isThrownBy(() -> client.socket().sendUrgentData('!'));
  }
}
