package org.slipstream.benchmarks.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class PsCarrierCheckTest {
  private final Deque<String> answers = new ArrayDeque<>();
  private final PsCarrierCheck check = new PsCarrierCheck(answers::removeFirst);

  private static String process(long pid, String kind, long ring, long plain) {
    return process(pid, kind, ring, plain, 2);
  }

  private static String process(long pid, String kind, long ring, long plain, long messages) {
    return """
    {"pid":%d,"streams":[{"local":"127.0.0.1:1","remote":"127.0.0.1:2","carrier":"shm","out":"%s",
    "in":"ring","ringBytesOut":%d,"ringBytesIn":%d,"plainBytesOut":%d,"plainBytesIn":0,
    "messagesOut":%d,"messagesIn":0,
    "reason":"peer-stopped"}]}\
    """
        .formatted(pid, kind, ring, ring, plain, messages);
  }

  private static String answer(String... processes) {
    return "{\"processes\":[" + String.join(",", processes) + "]}";
  }

  @Test
  void isContentWithBytesOnTheRing() throws InterruptedException {
    answers.add(answer(process(7, "ring", 1000, 0), process(8, "ring", 1000, 0)));
    assertThat(check.verify(List.of(7L, 8L))).isEmpty();
  }

  @Test
  void aProcessThatCountsNothingMayStillSayHowFarItsRingsAre() throws InterruptedException {
    answers.add(answer(process(7, "ring", 1000, 0, 0)));
    answers.add(answer(process(7, "ring", 1000, 0, 1)));
    assertThat(check.verifyUncounted(List.of(7L))).isEmpty();
    assertThat(check.verifyUncounted(List.of(7L)))
        .contains("process 7 counts although it should not");
  }

  @Test
  void looksAtWhatTravelledSinceTheLastTime() throws InterruptedException {
    answers.add(answer(process(7, "ring", 1000, 500)));
    answers.add(answer(process(7, "ring", 9000, 500)));
    answers.add(answer(process(7, "ring", 9000, 500)));
    answers.add(answer(process(7, "ring", 10_000, 900)));
    assertThat(check.verify(List.of(7L)))
        .contains("process 7 moved 2000 bytes over the ring and 500 over TCP: no reason was given");
    assertThat(check.verify(List.of(7L))).isEmpty();
    assertThat(check.verify(List.of(7L)).orElseThrow()).contains("moved no bytes over a ring");
    assertThat(check.verify(List.of(7L)).orElseThrow()).contains("400 over TCP");
  }

  @Test
  void complainsAboutAPlainDirectionWithItsReason() throws InterruptedException {
    answers.add(answer(process(7, "plain", 1000, 0)));
    assertThat(check.verify(List.of(7L)))
        .contains("process 7 has no stream on a ring: peer-stopped");
  }

  @Test
  void complainsAboutAProcessThatIsNotThere() throws InterruptedException {
    answers.add(answer(process(7, "ring", 1000, 0)));
    assertThat(check.verify(List.of(7L, 9L))).contains("slipstream ps does not know process 9");
  }

  @Test
  void complainsAboutAnAnswerThatIsNone() throws InterruptedException {
    answers.add("{}");
    assertThat(check.verify(List.of(7L)))
        .contains("slipstream ps gave no answer: JSONObject[\"processes\"] not found.");
    PsCarrierCheck broken =
        new PsCarrierCheck(() -> {
          throw new IOException("exit code 1");
        });
    assertThat(broken.verify(List.of(7L))).contains("slipstream ps gave no answer: exit code 1");
  }
}
