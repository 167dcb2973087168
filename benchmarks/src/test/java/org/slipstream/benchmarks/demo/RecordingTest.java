package org.slipstream.benchmarks.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RecordingTest {
  @Test
  void aLineThatStaysIsThereOnceAndTheLastFrameIsShownWithoutMotion() {
    List<Frame> frames =
        List.of(
            new Frame(0, List.of("stays", "a < b")),
            new Frame(1, List.of("stays", "$ command")),
            new Frame(2, List.of("stays", "$ command")));

    String svg = Recording.svg(frames, 0.25);

    assertThat(svg).containsOnlyOnce(">stays<").containsOnlyOnce(">$ command<");
    assertThat(svg)
        .contains("class=\"d18 e\" style=\"animation-delay:0s\">stays<")
        .contains("class=\"d1\" style=\"animation-delay:0s\">a &lt; b<")
        .contains("class=\"d17 e c\" style=\"animation-delay:-4.25s\">$ command<")
        .contains("@keyframes k1{0%{visibility:visible}5.556%,100%{visibility:hidden}}")
        .contains("@keyframes k18{0%{visibility:visible}}")
        .contains(
            ".e{visibility:visible}", "prefers-color-scheme:dark", "prefers-reduced-motion:reduce");
  }
}
