package org.slipstream.servers.spark;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.graphx.Graph;
import org.apache.spark.graphx.lib.PageRank;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.StorageLevel;
import org.slipstream.servers.Loop;
import org.slipstream.servers.spark.Records.ByKey;
import org.slipstream.servers.spark.Records.Part;
import scala.Option;
import scala.Tuple2;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** The driver: sorts records, or ranks the vertices of a graph, and compares what comes of it. */
public final class SparkLoad {
  private static final int EXECUTORS = 2;
  private static final double RESET = 0.15;

  /** Sums are added in another order here. */
  private static final double ROUNDING = 1e-6;

  private SparkLoad() {}

  /**
   * {@code sort RECORDS} or {@code rank GRAPH STEPS}; how and where, Spark reads from properties.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
    ShuffleTimes times = new ShuffleTimes();
    try (JavaSparkContext spark = new JavaSparkContext(new SparkConf().setAppName(args[0]))) {
      spark.sc().addSparkListener(times);
      while (spark.sc().statusTracker().getExecutorInfos().length < EXECUTORS + 1) {
        Thread.sleep(50);
      }
      System.out.println("EXECUTORS " + EXECUTORS);
      if (args[0].equals("sort")) {
        sort(spark, Integer.parseInt(args[1]), times);
      } else {
        rank(spark, args[1], Integer.parseInt(args[2]), times);
      }
    }
  }

  private static List<Integer> parts() {
    return IntStream.range(0, Edges.PARTS).boxed().toList();
  }

  private static void sort(JavaSparkContext spark, int records, ShuffleTimes times)
      throws Exception {
    int count = records / Edges.PARTS;
    JavaPairRDD<byte[], byte[]> all =
        spark.parallelize(parts(), Edges.PARTS).flatMapToPair(part -> Records.part(part, count));
    long sum = all.map(Records::sum).reduce(Long::sum);
    times.take();
    Loop.serve(
        records,
        () -> {
          List<Part> sorted =
              all.sortByKey(new ByKey())
                  .mapPartitions(part -> List.of(Part.of(part)).iterator())
                  .collect();
          check(sorted, (long) count * Edges.PARTS, sum);
        },
        times::take);
  }

  private static void check(List<Part> sorted, long records, long sum) {
    String last = "";
    for (Part part : sorted) {
      if (!part.sorted() || last.compareTo(part.first()) > 0) {
        throw new IllegalStateException("not sorted");
      }
      last = part.last();
    }
    if (sorted.stream().mapToLong(Part::count).sum() != records
        || sorted.stream().mapToLong(Part::sum).sum() != sum) {
      throw new IllegalStateException("not the records that there were");
    }
  }

  private static void rank(JavaSparkContext spark, String from, int steps, ShuffleTimes times)
      throws Exception {
    ClassTag<Object> tag = ClassTag$.MODULE$.apply(Object.class);
    RDD<Tuple2<Object, Object>> edges =
        spark
            .parallelize(parts(), Edges.PARTS)
            .flatMap(part ->
                Arrays.stream(Edges.part(from, part))
                    .mapToObj(edge ->
                        new Tuple2<Object, Object>((long) Edges.from(edge), (long) Edges.to(edge)))
                    .iterator())
            .rdd();
    StorageLevel memory = StorageLevel.MEMORY_ONLY();
    Graph<Object, Object> graph =
        Graph.fromEdgeTuples(edges, 1, Option.empty(), memory, memory, tag);
    double[] expected = Edges.ranks(from, steps);
    graph.edges().count();
    times.take();
    Loop.serve(
        (double) Edges.count(from) * steps,
        () -> {
          Graph<Object, Object> ranked = PageRank.run(graph, steps, RESET, tag, tag);
          List<Tuple2<Object, Object>> ranks = ranked.vertices().toJavaRDD().collect();
          check(ranks, expected);
          ranked.unpersist(false);
        },
        times::take);
  }

  private static void check(List<Tuple2<Object, Object>> ranks, double[] expected) {
    if (ranks.size() != Arrays.stream(expected).filter(rank -> rank > 0).count()) {
      throw new IllegalStateException(ranks.size() + " vertices");
    }
    for (Tuple2<Object, Object> one : ranks) {
      double right = expected[((Number) one._1()).intValue()];
      double difference = Math.abs(((Number) one._2()).doubleValue() - right);
      if (!(difference <= ROUNDING * right)) {
        throw new IllegalStateException("another rank: " + one + ", not " + right);
      }
    }
  }
}
