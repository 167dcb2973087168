package org.slipstream.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AttachReportTest {

  @Test
  void whatIsCoveredAndWhatIsNotIsSaidForEachApi() {
    String outcome = "sockets=on channels=in-use asynchronous=on";
    assertThat(AttachReport.isOn(outcome)).isTrue();
    assertThat(AttachReport.lines("7", outcome))
        .containsExactly(
            "process 7 upgrades what it opens from now on:",
            "  Socket, ServerSocket: new ones can leave TCP",
            "  SocketChannel, ServerSocketChannel, Selector: stay on TCP, because the program has"
                + " opened a channel or a selector already",
            "  AsynchronousSocketChannel, AsynchronousServerSocketChannel: new ones can leave TCP",
            "What was open before stays on TCP, as does what open listeners accept.");
  }

  @Test
  void whereNothingIsCoveredThatIsSaid() {
    String outcome = "sockets=in-use channels=in-use asynchronous=in-use";
    assertThat(AttachReport.isOn(outcome)).isFalse();
    assertThat(AttachReport.lines("7", outcome).getFirst())
        .isEqualTo("process 7 runs Slipstream, but none of its APIs is covered:");
  }

  @Test
  void aSentenceIsNoOutcome() {
    String sentence = "Slipstream needs Java 25 or newer; this is 17";
    assertThat(AttachReport.isOn(sentence)).isFalse();
    assertThat(AttachReport.lines("7", sentence))
        .containsExactly("process 7 stays as it was: " + sentence);
  }
}
