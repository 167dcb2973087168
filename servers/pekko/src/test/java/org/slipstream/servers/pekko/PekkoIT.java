package org.slipstream.servers.pekko;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slipstream.servers.Comparison;
import org.slipstream.servers.Jvm;
import org.slipstream.servers.Least;
import org.slipstream.servers.Loop;
import org.slipstream.servers.Run;
import org.slipstream.servers.Scenario.Load;

/**
 * A cluster of three members whose actors talk in small messages: PageRank, 32 steps, an actor for
 * each vertex and a message for each edge and step; and questions to one actor at a time.
 */
class PekkoIT {
  private static final int MEMBERS = 3;

  /** 512 vertices in a test, 2048 in a measurement. */
  private static final int SMALL_GRAPH = 9;

  private static final int GRAPH = 11;

  /** Messages of one job in a measurement. */
  private static final double JOB = 32.0 * 8 * (1 << GRAPH);

  private static final int QUESTIONS = 1000;
  private static final List<String> FLAGS = List.of("-Xmx384m");

  private static Load start(Run run, String what, int operations) throws Exception {
    String scale = Integer.toString(run.scale() > 1 ? GRAPH : SMALL_GRAPH);
    List<Jvm> members = new ArrayList<>();
    String first = "";
    for (int i = 0; i < MEMBERS; i++) {
      String port = Integer.toString(Run.freePort());
      first = first.isEmpty() ? port : first;
      members.add(run.server("member-" + i, FLAGS, Member.class.getName(), port, first, scale));
    }
    for (Jvm member : members) {
      member.await("^MEMBERS " + MEMBERS + "$", 90);
    }
    Jvm client =
        run.client(
            "client",
            FLAGS,
            PekkoLoad.class.getName(),
            what,
            Integer.toString(Run.freePort()),
            first,
            scale);
    return Loop.of(run, client, operations);
  }

  @Test
  void ranksAreComputedOnTheRingAndWithoutIt() throws Exception {
    Comparison.run(
        "Pekko, 3 members, PageRank by actors",
        "messages/s",
        JOB,
        Least.of(0.7).each(0.7).between(0.7),
        run -> start(run, "ranks", 2));
  }

  @Test
  void questionsTravelOnTheRingAndWithoutIt() throws Exception {
    Comparison.run(
        "Pekko, 3 members, questions to actors, 64 B",
        "answers/s",
        QUESTIONS,
        Least.of(0.5),
        run -> start(run, "questions", QUESTIONS));
  }
}
