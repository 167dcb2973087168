package org.slipstream.agent.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ListeningTest {

  @Test
  void onlySocketsInTheStateOfAListenerAreNamed() {
    String table =
        """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0
           1: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0
        nonsense
        """;
    assertThat(Listening.sockets(table)).containsExactly("socket:[4711]");
  }

  @Test
  void thisProcessListensWhenItHasAServerSocket() throws Exception {
    Set<Long> us = Set.of(ProcessHandle.current().pid());
    try (ServerSocket _ = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(Listening.any(us)).isTrue();
    }
  }

  @Test
  void aProcessThatHasEndedDoesNotListen() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();
    assertThat(Listening.any(Set.of(ended.pid()))).isFalse();
  }
}
