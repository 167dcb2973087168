package org.slipstream.core.session;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.slipstream.core.stream.Stream;
import org.slipstream.transport.Session;

/**
 * Lets each session have only so many offers under way; the others wait for answers. Thousands of
 * streams that become eligible at once would otherwise fill the session's queue, which looks like a
 * peer that does not read. Reactor only.
 */
final class Backlog {
  /** Far below what a session may queue, far above what accept queues hold. */
  static final int MAX_UNDER_WAY = 1024;

  /** An offer that is not made yet. */
  @FunctionalInterface
  interface Attempt {
    /** Makes it; false if nothing was sent, so that no answer will come. */
    boolean send();
  }

  private record Waiting(Stream stream, Attempt attempt) {}

  private static final class Line {
    int underWay;
    final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  }

  private final Map<Session, Line> lines = new HashMap<>();

  /** Makes the offer now, or when enough others have been answered. */
  void submit(Session session, Stream stream, Attempt attempt) {
    Line line = lines.computeIfAbsent(session, s -> new Line());
    line.waiting.add(new Waiting(stream, attempt));
    advance(session, line);
  }

  /** An offer that was sent has its answer. */
  void answered(Session session) {
    Line line = lines.get(session);
    if (line != null) {
      line.underWay--;
      advance(session, line);
    }
  }

  private void advance(Session session, Line line) {
    while (line.underWay < MAX_UNDER_WAY) {
      Waiting next = line.waiting.peek();
      if (next == null) {
        break;
      }
      if (next.attempt.send()) {
        line.underWay++;
      }
      line.waiting.remove(); // not before: without memory it waits, and is lost with its session
    }
    if (line.underWay == 0 && line.waiting.isEmpty()) {
      lines.remove(session, line);
    }
  }

  /** No answers will come any more; tells of the streams that still wait. */
  void lost(Session session, Consumer<Stream> told) {
    Line line = lines.get(session);
    if (line == null) {
      return;
    }
    for (Waiting next; (next = line.waiting.peek()) != null; ) {
      told.accept(next.stream);
      line.waiting.remove();
    }
    lines.remove(session);
  }
}
