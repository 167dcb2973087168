package org.slipstream.servers.hadoop;

import java.util.List;
import org.slipstream.servers.Arm;
import org.slipstream.servers.Comparison;

/** A few access patterns over HDFS, on TCP and over RDMA in software: run in a guest. */
public final class HdfsOverRdma {
  /** The rows have names of their own: their TCP is not that of the host. */
  static final String NAME = "HDFS: in a virtual machine, ";

  private HdfsOverRdma() {}

  /**
   * Measures.
   *
   * @param args none
   * @throws Exception whatever fails
   */
  public static void main(String[] args) throws Exception {
    Comparison.series(
        HdfsPattern.FEW.stream().map(pattern -> pattern.step(NAME, true)).toList(),
        List.of(Arm.TCP, Arm.RDMA),
        new HdfsScenario(true));
  }
}
