package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Patience;

/** A program that inetd has started finds its connection, with us and without. */
class InheritedChannelIT {
  /** What inetd does: the connection is the standard input of the program. */
  private static final String INETD =
      """
      import socket, subprocess, sys
      l = socket.create_server(('127.0.0.1', 0))
      c = socket.create_connection(l.getsockname(), 60)
      s, _ = l.accept()
      p = subprocess.Popen(sys.argv[1:], stdin=s.fileno())
      s.close()
      c.sendall(b'anybody there?')
      back = b''
      while len(back) < 14:
          got = c.recv(100)
          assert got, 'the end'
          back += got
      assert back == b'anybody there?', back
      c.shutdown(socket.SHUT_WR)
      assert c.recv(1) == b''
      assert p.wait(60) == 0
      """;

  @RegisterExtension final Children children = new Children();

  /** Sends back what comes on the connection that it was started with. */
  public static final class Program {
    private Program() {}

    /** No arguments. */
    public static void main(String[] args) throws IOException {
      try (SocketChannel channel = (SocketChannel) System.inheritedChannel()) {
        ByteBuffer buffer = ByteBuffer.allocate(100);
        while (channel.read(buffer) >= 0) {
          buffer.flip();
          channel.write(buffer);
          buffer.clear();
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theConnectionOfInetdIsFound(boolean accelerated) throws Exception {
    List<String> command = new ArrayList<>(List.of("python3", "-c", INETD, Children.JAVA));
    if (accelerated) {
      command.add("-javaagent:" + Children.JAR);
      command.add("-Dslipstream.dir=" + children.directory());
    }
    command.addAll(List.of("-cp", Children.classes(), Program.class.getName()));
    try {
      Process inetd = new ProcessBuilder(command).redirectErrorStream(true).start();
      try {
        assertThat(new String(inetd.getInputStream().readAllBytes(), UTF_8)).isEmpty();
        assertThat(inetd.waitFor(Patience.DEADLINE)).isTrue();
        assertThat(inetd.exitValue()).isZero();
      } finally {
        inetd.destroyForcibly();
      }
    } catch (IOException e) {
      require(false, "there is no python3: " + e.getMessage());
    }
  }
}
