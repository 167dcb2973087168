package org.slipstream.agent.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.agent.fabric.HostReport.TransportReport;

/** Which programs of others are named and run, and what is read of what they print. */
class VendorToolsTest {
  private static final HostReport RDMA =
      new HostReport(
          Map.of(), List.of(new TransportReport("rdma", true, "mlx5_0", List.of("mlx5_0/1"))));

  @TempDir Path folder;
  private VendorTools tools;

  private static HostReport ntb(int node) {
    String reason = "SISCI API version 5; adapter 0 is node " + node;
    return new HostReport(Map.of(), List.of(new TransportReport("ntb", true, reason, List.of())));
  }

  @BeforeEach
  void noProgramIsInstalled() {
    tools = new VendorTools(List.of(folder));
  }

  private void install(String name) throws IOException {
    Path program = Files.writeString(folder.resolve(name), "#!/bin/sh\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void whatIsNotInstalledIsNamedWithItsPackages() throws Exception {
    install("rping");
    assertThat(tools.lines(RDMA, RDMA, "b"))
        .containsExactly(
            "rping: run 'rping -s -v -C 10' there, then 'rping -c -v -C 10 -a b' here",
            "ib_write_lat, ib_write_bw are not installed here (perftest and rdmacm-utils of the"
                + " distribution)");
    assertThat(tools.lines(ntb(4), ntb(8), "b")).as("no RDMA here").isEmpty();
  }

  @Test
  void theToolsOfSisciAreToldTheNodes() throws Exception {
    install("scipp");
    assertThat(tools.lines(ntb(4), ntb(8), "b"))
        .containsExactly("scipp: run 'scipp -server -rn 4' there, then 'scipp -client -rn 8' here");
  }

  /** A client of {@code fabric serve} proves nothing. */
  @Test
  void nothingIsRunForAClientButAKnownProgram() throws Exception {
    install("ib_write_lat");
    install("scipp");
    install("sh");
    String path = folder.resolve("ib_write_lat").toString();
    assertThat(tools.waiting("ib_write_lat", "")).contains(List.of(path, "-R", "-s", "64"));
    assertThat(tools.waiting("scipp", "4"))
        .contains(List.of(folder.resolve("scipp").toString(), "-server", "-rn", "4"));
    assertThat(tools.waiting("scipp", "4;reboot")).isEmpty();
    assertThat(tools.waiting("sh", "")).isEmpty();
    assertThat(tools.waiting("../scipp", "4")).isEmpty();
    assertThat(tools.waiting("ib_write_bw", "")).as("not installed").isEmpty();
  }

  @Test
  void ofATableTheRowIsRead() {
    List<String> latency =
        List.of(
            " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]",
            " 64      1000          1.01           4.20         1.93               1.95  0.1  2.2",
            "---------------------------------------------------------------");
    assertThat(VendorTools.result("ib_write_lat", latency))
        .isEqualTo("64 bytes one way, typically 1.93 µs");
    List<String> rate =
        List.of(
            " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]",
            " 65536      5000             11761.92            11759.15           0.188146");
    assertThat(VendorTools.result("ib_write_bw", rate))
        .isEqualTo("messages of 65536 bytes, 11759.15 MiB/s");
    assertThat(VendorTools.result("rping", List.of("ping data: a", "ping data: b", "done")))
        .isEqualTo("2 pings came back");
    assertThat(VendorTools.result("ib_write_bw", List.of("Couldn't connect")))
        .isEqualTo("Couldn't connect");
    assertThat(VendorTools.result("scipp", List.of("1", " Average: 1.2 us ")))
        .isEqualTo("Average: 1.2 us");
    assertThat(VendorTools.result("scipp", List.of())).isEqualTo("it said nothing");
  }

  @Test
  void aRunKeepsTheEndOfWhatItSaysAndEndsByForce() throws Exception {
    try (ToolRun run = ToolRun.start(List.of("sh", "-c", "seq 100; exit 3"))) {
      assertThat(run.endsWithin(60_000)).isTrue();
      assertThat(run.code()).isEqualTo(3);
      assertThat(run.lines()).hasSize(40).endsWith("99", "100");
    }
    ToolRun sleeps = ToolRun.start(List.of("sleep", "1000"));
    assertThat(sleeps.endsWithin(1)).isFalse();
    sleeps.close();
    assertThat(sleeps.endsWithin(60_000)).isTrue();
  }
}
