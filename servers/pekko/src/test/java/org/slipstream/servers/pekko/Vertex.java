package org.slipstream.servers.pekko;

import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.Props;
import org.apache.pekko.cluster.sharding.ClusterSharding;
import org.slipstream.servers.pekko.Message.Answer;
import org.slipstream.servers.pekko.Message.Done;
import org.slipstream.servers.pekko.Message.Question;
import org.slipstream.servers.pekko.Message.Share;
import org.slipstream.servers.pekko.Message.Start;

/**
 * A vertex of the graph. In each step it gives a share of its rank to each neighbour, and waits for
 * the shares of all that point to it.
 */
final class Vertex extends AbstractActor {
  private final Graph graph;
  private final int self;
  private final ActorRef region;

  /** The run that goes on, or the last one. */
  private Sums sums = new Sums(0);

  /** Shares of a run whose start has not come yet. */
  private Sums early = new Sums(0);

  private ActorRef client = ActorRef.noSender();
  private double rank;
  private int step;

  /** What came in a run, for each step. */
  private static final class Sums {
    final int run;
    final double[] sum = new double[Graph.STEPS];
    final int[] count = new int[Graph.STEPS];

    Sums(int run) {
      this.run = run;
    }

    void add(Share share) {
      sum[share.step()] += share.share();
      count[share.step()]++;
    }
  }

  private Vertex(Graph graph) {
    this.graph = graph;
    this.self = Integer.parseInt(self().path().name());
    this.region = ClusterSharding.get(context().system()).shardRegion(Member.TYPE);
  }

  static Props props(Graph graph) {
    return Props.create(Vertex.class, () -> new Vertex(graph));
  }

  @Override
  public Receive createReceive() {
    return receiveBuilder()
        .match(Share.class, this::take)
        .match(Start.class, this::start)
        .match(
            Question.class,
            question -> sender().tell(new Answer(self, question.text()), ActorRef.noSender()))
        .build();
  }

  private void start(Start start) {
    client = sender();
    sums = early.run == start.run() ? early : new Sums(start.run());
    step = 0;
    rank = 1;
    give();
    advance();
  }

  private void take(Share share) {
    if (share.run() == sums.run) {
      sums.add(share);
      advance();
    } else {
      if (early.run != share.run()) {
        early = new Sums(share.run());
      }
      early.add(share);
    }
  }

  private void give() {
    double share = graph.share(self, rank);
    for (int neighbour : graph.out(self)) {
      region.tell(new Share(neighbour, sums.run, step, share), ActorRef.noSender());
    }
  }

  private void advance() {
    while (step < Graph.STEPS && sums.count[step] == graph.incoming(self)) {
      rank = Graph.rank(sums.sum[step]);
      step++;
      if (step < Graph.STEPS) {
        give();
      } else {
        client.tell(new Done(self, sums.run, rank), ActorRef.noSender());
      }
    }
  }
}
