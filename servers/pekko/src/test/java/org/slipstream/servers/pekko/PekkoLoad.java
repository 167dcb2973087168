package org.slipstream.servers.pekko;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.cluster.sharding.ClusterSharding;
import org.apache.pekko.pattern.Patterns;
import org.slipstream.servers.Loop;
import org.slipstream.servers.pekko.Message.Answer;
import org.slipstream.servers.pekko.Message.Done;
import org.slipstream.servers.pekko.Message.Question;
import org.slipstream.servers.pekko.Message.Start;

/** The client: has the ranks computed, or asks one actor after the other. */
public final class PekkoLoad {
  private static final int BYTES = 64;
  private static final long PATIENCE_S = 120;

  /** Sums are added in another order here. */
  private static final double ROUNDING = 1e-9;

  private final ActorSystem system;
  private final ActorRef region;
  private final Graph graph;

  private PekkoLoad(ActorSystem system, Graph graph) {
    this.system = system;
    this.graph = graph;
    this.region =
        ClusterSharding.get(system)
            .startProxy(Member.TYPE, Optional.of(Member.ROLE), new Member.ByVertex());
  }

  /** Takes the ranks of one run. */
  private static final class Collector extends AbstractActor {
    private final int run;
    private final double[] ranks;
    private final CompletableFuture<double[]> all;
    private int missing;

    private Collector(int run, int vertices, CompletableFuture<double[]> all) {
      this.run = run;
      this.ranks = new double[vertices];
      this.missing = vertices;
      this.all = all;
    }

    static Props props(int run, int vertices, CompletableFuture<double[]> all) {
      return Props.create(Collector.class, () -> new Collector(run, vertices, all));
    }

    @Override
    public Receive createReceive() {
      return receiveBuilder().match(Done.class, this::take).build();
    }

    private void take(Done done) {
      if (done.run() != run) {
        all.completeExceptionally(new IllegalStateException("of another run: " + done));
      }
      ranks[done.vertex()] = done.rank();
      if (--missing == 0) {
        all.complete(ranks);
        context().stop(self());
      }
    }
  }

  /**
   * {@code ranks|questions PORT PORT-OF-THE-FIRST SCALE-OF-THE-GRAPH}.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
    ActorSystem system = Member.join(args[1], args[2], "client");
    try {
      PekkoLoad load = new PekkoLoad(system, Graph.ofScale(Integer.parseInt(args[3])));
      if (args[0].equals("ranks")) {
        load.serveRanks();
      } else {
        load.serveQuestions();
      }
    } finally {
      system.terminate();
      system.getWhenTerminated().toCompletableFuture().get(PATIENCE_S, TimeUnit.SECONDS);
    }
  }

  private void serveRanks() throws Exception {
    double[] expected = graph.ranks();
    AtomicInteger runs = new AtomicInteger();
    Loop.serve(
        (double) graph.edges() * Graph.STEPS,
        () -> {
          int run = runs.incrementAndGet();
          CompletableFuture<double[]> all = new CompletableFuture<>();
          ActorRef collector = system.actorOf(Collector.props(run, graph.vertices(), all));
          for (int vertex = 0; vertex < graph.vertices(); vertex++) {
            region.tell(new Start(vertex, run), collector);
          }
          double[] ranks = all.get(PATIENCE_S, TimeUnit.SECONDS);
          for (int vertex = 0; vertex < ranks.length; vertex++) {
            double difference = Math.abs(ranks[vertex] - expected[vertex]);
            if (!(difference <= ROUNDING * expected[vertex])) {
              throw new IllegalStateException("another rank of " + vertex + ": " + ranks[vertex]);
            }
          }
        });
  }

  private void serveQuestions() throws Exception {
    Random random = new Random(1);
    Loop.serve(
        1,
        () -> {
          byte[] bytes = new byte[BYTES];
          random.nextBytes(bytes);
          String text = new String(bytes, StandardCharsets.ISO_8859_1);
          int vertex = random.nextInt(graph.vertices());
          Answer answer =
              (Answer)
                  Patterns.ask(region, new Question(vertex, text), Duration.ofSeconds(PATIENCE_S))
                      .toCompletableFuture()
                      .get();
          if (answer.vertex() != vertex || !text.equals(answer.text())) {
            throw new IllegalStateException("another answer came back");
          }
        });
  }
}
