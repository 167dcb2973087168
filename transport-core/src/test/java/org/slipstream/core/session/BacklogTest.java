package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.core.stream.FakeSession;
import org.slipstream.core.stream.Stream;
import org.slipstream.transport.Session;

class BacklogTest {
  private static final int MANY = 3 * Backlog.MAX_UNDER_WAY;

  private final Backlog backlog = new Backlog();
  private final Session session = new FakeSession("peer");
  private int sent;

  private void submit(Session to, Stream stream, int times) {
    for (int i = 0; i < times; i++) {
      backlog.submit(
          to,
          stream,
          () -> {
            sent++;
            return true;
          });
    }
  }

  @Test
  void offersWaitForAnswers() throws Exception {
    try (FakeProcess process = new FakeProcess()) {
      Stream stream = process.connection().client();
      submit(session, stream, MANY);
      assertThat(sent).isEqualTo(Backlog.MAX_UNDER_WAY);

      for (int answers = 1; answers <= MANY; answers++) {
        backlog.answered(session);
        assertThat(sent).isEqualTo(Math.min(MANY, Backlog.MAX_UNDER_WAY + answers));
      }
    }
  }

  @Test
  void aPeerThatDoesNotAnswerHoldsUpNoOtherPeer() throws Exception {
    try (FakeProcess process = new FakeProcess()) {
      Stream stream = process.connection().client();
      submit(session, stream, MANY);
      sent = 0;

      submit(new FakeSession("other"), stream, 1);

      assertThat(sent).isEqualTo(1);
    }
  }

  @Test
  void anOfferThatCouldNotBeSentIsNotWaitedFor() throws Exception {
    try (FakeProcess process = new FakeProcess()) {
      Stream stream = process.connection().client();
      for (int i = 0; i < MANY; i++) {
        backlog.submit(session, stream, () -> false);
      }

      submit(session, stream, 1);

      assertThat(sent).isEqualTo(1);
    }
  }

  private List<Stream> lost() {
    List<Stream> lost = new ArrayList<>();
    backlog.lost(session, lost::add);
    return lost;
  }

  @Test
  void anOfferForWhichThereIsNoMemoryIsLostWithItsSession() throws Exception {
    try (FakeProcess process = new FakeProcess()) {
      Stream stream = process.connection().client();
      assertThatThrownBy(() ->
              backlog.submit(
                  session,
                  stream,
                  () -> {
                    throw new OutOfMemoryError("injected");
                  }))
          .isInstanceOf(OutOfMemoryError.class);

      assertThat(lost()).containsExactly(stream);
      assertThat(lost()).isEmpty();
    }
  }

  @Test
  void aSessionThatEndsGivesBackStreamsThatWait() throws Exception {
    try (FakeProcess process = new FakeProcess()) {
      Stream stream = process.connection().client();
      submit(session, stream, MANY);

      assertThat(lost()).hasSize(MANY - Backlog.MAX_UNDER_WAY).containsOnly(stream);
      backlog.answered(session); // late: means nothing

      assertThat(sent).isEqualTo(Backlog.MAX_UNDER_WAY);
    }
  }
}
