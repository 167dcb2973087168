package org.slipstream.servers.spark;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** What Spark says of its tasks: how long they ran, and what came from other executors. */
final class ShuffleTimes extends SparkListener {
  private static final double MILLIS = 1e3;
  private static final double MEGA = 1e6;

  /** Sums since the last look, of all tasks; Spark's listener thread adds, the main one takes. */
  private double tasks;

  private double waited;
  private double remote;

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
    TaskMetrics metrics = end.taskMetrics();
    if (metrics != null) {
      tasks += metrics.executorRunTime() / MILLIS;
      waited += metrics.shuffleReadMetrics().fetchWaitTime() / MILLIS;
      remote += metrics.shuffleReadMetrics().remoteBytesRead() / MEGA;
    }
  }

  /** Seconds of all tasks, seconds in which they waited for blocks, megabytes from elsewhere. */
  synchronized Map<String, Double> take() {
    Map<String, Double> all = new LinkedHashMap<>();
    all.put("task_s", tasks);
    all.put("fetch_wait_s", waited);
    all.put("remote_mb", remote);
    tasks = 0;
    waited = 0;
    remote = 0;
    return all;
  }
}
