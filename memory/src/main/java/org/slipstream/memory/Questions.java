package org.slipstream.memory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.Reactor;
import org.slipstream.transport.Session;

/**
 * Questions to other domains, one line of text each, and their answers: how clients and memory
 * servers speak. The maps are the reactor's; a caller waits for its {@link Poll}.
 */
final class Questions {

  /** Answers the questions of peers; called on the reactor, which it must not block. */
  interface Answerer {
    /**
     * Answers.
     *
     * @throws IOException the question is nonsense; the session ends
     */
    String answer(Session from, String question) throws IOException;

    /** The peer is gone, or this process leaves. */
    void lost(Session session);
  }

  /**
   * What one process said.
   *
   * @param session with it
   * @param text its answer
   */
  record Answer(Session session, String text) {}

  /** What one call has asked of some processes; the caller waits, the reactor reports. */
  static final class Poll {
    // Guarded by this.
    private final List<Answer> answers = new ArrayList<>();
    private int open = 1; // until all have been asked

    private synchronized void asked(int found) {
      open += found - 1;
      notifyAll();
    }

    private synchronized void ended(@Nullable Answer answer) {
      if (answer != null) {
        answers.add(answer);
      }
      open--; // what may want memory comes before it, so that a second call counts once
      notifyAll();
    }

    /**
     * Waits until all that were asked have answered or have ended, or until the time is up.
     *
     * @return the answers so far
     */
    synchronized List<Answer> await(Duration patience) throws InterruptedException {
      long deadline = System.nanoTime() + patience.toNanos();
      long left = patience.toNanos();
      while (open > 0 && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
        left = deadline - System.nanoTime();
      }
      return List.copyOf(answers);
    }

    /** What the one that was asked says; empty if it ends, or does not answer in time. */
    String say(Duration patience) throws InterruptedException {
      List<Answer> all = await(patience);
      return all.isEmpty() ? "" : all.getFirst().text();
    }

    /** How many have neither answered nor ended. */
    synchronized int silent() {
      return open;
    }
  }

  /** What has to be heard: again, if the session ends before the answer. */
  private record Saying(Owner owner, String question, int left) {}

  private record Asked(Poll poll, Session session, @Nullable Saying saying) {}

  /** How often it is said again, and after what time at first; that doubles each time. */
  private static final int TRIES = 6;

  private static final long AGAIN_NS = 1_000_000_000L;

  private final Media media;
  private final Reactor reactor;

  // Reactor only.
  private final Map<Long, Asked> asked = new HashMap<>();
  private long ids;

  /** Written once, by the thread that opens a server; read by the reactor. */
  private volatile @Nullable Answerer answerer;

  Questions(Media media, Reactor reactor) {
    this.media = media;
    this.reactor = reactor;
  }

  /** From now on questions of peers are answered. */
  void answerWith(Answerer by) {
    answerer = by;
  }

  /** Asks all processes that have announced a name. Any thread. */
  Poll askAll(String owner, String question) {
    Poll poll = new Poll();
    reactor.execute(() ->
        poll.asked(
            media.findRole(
                owner, session -> send(poll, session, question), () -> poll.ended(null))));
    return poll;
  }

  /** Asks one process. Any thread. */
  Poll ask(Session session, String question) {
    Poll poll = new Poll();
    reactor.execute(() -> {
      if (session.isOpen()) {
        poll.asked(1);
        send(poll, session, question);
      } else {
        poll.asked(0);
      }
    });
    return poll;
  }

  /**
   * Asks the processes that have announced an owner's name: one, unless some share it. Any thread.
   */
  Poll ask(Owner owner, String question) {
    Poll poll = new Poll();
    reactor.execute(() -> find(poll, owner, question));
    return poll;
  }

  /** Asks a process, by another session if the one with it is over. Any thread. */
  Poll ask(Session session, Owner owner, String question) {
    Poll poll = new Poll();
    reactor.execute(() -> {
      if (session.isOpen()) {
        poll.asked(1);
        send(poll, session, question);
      } else {
        find(poll, owner, question);
      }
    });
    return poll;
  }

  /**
   * Says something that may be said twice, and says it anew for a minute if the session ends before
   * it is answered. Any thread.
   */
  void tell(Session session, Owner owner, String question) {
    Saying saying = new Saying(owner, question, TRIES);
    reactor.execute(() -> {
      if (session.isOpen()) {
        say(saying, session);
      } else {
        find(saying);
      }
    });
  }

  private void say(Saying saying, Session session) {
    send(new Asked(new Poll(), session, saying), saying.question);
  }

  private void find(Saying saying) {
    Runnable again = () -> again(saying);
    if (media.find(saying.owner, session -> say(saying, session), again, again) == 0) {
      again(saying);
    }
  }

  private void again(Saying saying) {
    if (saying.left > 0) {
      Saying next = new Saying(saying.owner, saying.question, saying.left - 1);
      reactor.schedule(AGAIN_NS << (TRIES - saying.left), () -> find(next));
    }
  }

  private void find(Poll poll, Owner owner, String question) {
    poll.asked(
        media.find(
            owner,
            session -> send(poll, session, question),
            () -> poll.ended(null),
            () -> poll.ended(null)));
  }

  private void send(Poll poll, Session session, String question) {
    send(new Asked(poll, session, null), question);
  }

  private void send(Asked one, String question) {
    long id = ++ids;
    asked.put(id, one);
    one.session.send(MemoryFrame.text(MemoryFrame.ASK, id, question));
  }

  // -- reactor ---------------------------------------------------------------------------------

  void ask(Session session, long id, ByteBuffer body) throws IOException {
    Answerer by = answerer;
    String said = by == null ? "" : by.answer(session, MemoryFrame.readText(body));
    session.send(MemoryFrame.text(MemoryFrame.ANSWER, id, said));
  }

  void answered(Session session, long id, ByteBuffer body) throws IOException {
    Asked one = asked.get(id);
    if (one == null || !one.session.equals(session)) {
      throw new IOException("The peer answers a question that it was not asked");
    }
    one.poll.ended(new Answer(session, MemoryFrame.readText(body)));
    asked.remove(id);
  }

  /** If there is no memory for it, the next call goes on. */
  void lost(Session session) {
    Map.copyOf(asked)
        .forEach((id, one) -> {
          if (one.session.equals(session)) {
            if (one.saying != null) {
              again(one.saying);
            }
            one.poll.ended(null);
            asked.remove(id);
          }
        });
    Answerer by = answerer;
    if (by != null) {
      by.lost(session);
    }
  }
}
