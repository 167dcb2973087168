package org.slipstream.testkit.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.SelfSigned;
import org.slipstream.testkit.Tape;

/** {@link SSLSocket} layered over a socket, as HTTPS and JDBC clients do it. */
public abstract class TlsContract extends SocketContract {

  private static final int VOLUME = 1_500_000;

  /** Nothing is opened yet. */
  protected TlsContract() {}

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void tlsWorks(String protocol) throws Exception {
    assertTlsWorks(protocol, settledPair());
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void tlsWorksFromTheFirstByteOfAFreshStream(String protocol) throws Exception {
    assertTlsWorks(protocol, freshPair());
  }

  private void assertTlsWorks(String protocol, Ends ends) throws Exception {
    SSLSocket client = layered(protocol, ends.client(), true);
    SSLSocket server = layered(protocol, ends.server(), false);
    Background<@Nullable Void> serving =
        Background.run(() -> {
          Tape tape = new Tape(1);
          readTape(server, tape, VOLUME);
          writeTape(server, new Tape(2), VOLUME);
          assertThat(server.getInputStream().read()).isEqualTo(-1);
          server.close();
        });

    writeTape(client, new Tape(1), VOLUME);
    readTape(client, new Tape(2), VOLUME);
    assertThat(client.getSession().getProtocol()).isEqualTo(protocol);
    client.close();

    serving.result();
    assertThat(ends.client().isClosed()).isTrue();
    assertThat(ends.server().isClosed()).isTrue();
  }

  private SSLSocket layered(String protocol, Socket socket, boolean client) throws Exception {
    SSLContext context = SelfSigned.context();
    SSLSocket secure =
        (SSLSocket) context.getSocketFactory().createSocket(socket, "localhost", 443, true);
    secure.setUseClientMode(client);
    secure.setEnabledProtocols(new String[] {protocol});
    return closing(secure);
  }
}
