package org.slipstream.servers.hadoop;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.servers.Arm;
import org.slipstream.servers.Comparison;
import org.slipstream.servers.Step;

/**
 * The access patterns of a distributed file system, over HDFS with two data nodes, in memory. One
 * pattern follows the other on the same cluster and by the same client, whose threads are the
 * clients of a pattern: to start each anew would take longer than to measure it.
 */
class HdfsPatternsIT {
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void accessesTravelOnTheRingAndWithoutIt(boolean transferTo) throws Exception {
    List<Step> steps = new ArrayList<>();
    for (HdfsPattern pattern : transferTo ? List.of(HdfsPattern.values()) : HdfsPattern.COPIED) {
      steps.add(pattern.step(transferTo));
    }
    Comparison.series(steps, Arm.TWO, new HdfsScenario(transferTo));
  }
}
