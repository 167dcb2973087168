package org.slipstream.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Properties;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.rdma.cm.ConnectionManager;
import org.slipstream.rdma.verbs.DeviceContext;
import org.slipstream.transport.Availability;

/** Each thing that may be missing, as a value with its cause. */
class RdmaAvailabilityTest {
  private static final String MODULE = " does not exist; load the kernel module ";
  private static final String CONTAINERS = ", and give it to containers";

  @TempDir Path root;
  private Path classes;
  private Path files;
  private Path limits;
  private String verbs = "";
  private String connections = "";
  private boolean canLimitPathMtu = true;
  private final Properties properties = new Properties();

  @BeforeEach
  void aMachineWithADevice() throws IOException {
    classes = root.resolve("class");
    files = root.resolve("dev");
    limits = root.resolve("limits");
    device("mlx5_0", "uverbs0", "4: ACTIVE");
    Files.createDirectories(files);
    Files.createFile(files.resolve("rdma_cm"));
    Files.createFile(files.resolve("uverbs0"));
    Files.writeString(
        limits,
        """
        Limit                     Soft Limit           Hard Limit           Units
        Max locked memory         8388608              unlimited            bytes
        """);
  }

  private void device(String name, String file, String state) throws IOException {
    Path device = classes.resolve("infiniband").resolve(name);
    Path port = device.resolve("ports/1");
    Files.createDirectories(port.resolve("gids"));
    Files.writeString(device.resolve("node_type"), "1: CA\n");
    Files.writeString(port.resolve("state"), state + "\n");
    Files.writeString(port.resolve("link_layer"), "Ethernet\n");
    Files.writeString(port.resolve("gids/0"), "0000:0000:0000:0000:0000:ffff:0a4d:0001\n");
    Path uverbs = classes.resolve("infiniband_verbs").resolve(file);
    Files.createDirectories(uverbs);
    Files.writeString(uverbs.resolve("ibdev"), name + "\n");
  }

  @Test
  void addressesBehindAHoleAreFoundAndATableIsNotReadToItsEnd() throws IOException {
    Path gids = classes.resolve("infiniband/mlx5_0/ports/1/gids");
    int behindHole = RdmaDevices.LONGEST_HOLE;
    int tooFar = behindHole + RdmaDevices.LONGEST_HOLE + 1;
    for (int i = 1; i <= tooFar; i++) {
      boolean empty = i != behindHole && i != tooFar;
      String address = "0000:0000:0000:0000:0000:ffff:0a4d:%04x\n".formatted(i);
      String gid = empty ? "0000:0000:0000:0000:0000:0000:0000:0000\n" : address;
      Files.writeString(gids.resolve(Integer.toString(i)), gid);
    }
    RdmaDevices.Port port = RdmaDevices.ports(classes).getFirst();
    assertThat(port.gids()).hasSize(2);
    assertThat(port.hasAddress(InetAddress.ofLiteral("10.77.0." + behindHole))).isTrue();
  }

  @Test
  void aPortIsDescribedWithItsRateItsNetworkAndTheMtuOfBoth() throws IOException {
    RdmaDevices.Port port = RdmaDevices.ports(classes).getFirst();
    assertThat(RdmaDevices.describe(classes, port)).isEqualTo("mlx5_0/1 ACTIVE RoCE 10.77.0.1");
    Path directory = classes.resolve("infiniband/mlx5_0/ports/1");
    Files.writeString(directory.resolve("rate"), "100 Gb/sec (4X EDR)\n");
    Files.createDirectories(directory.resolve("gid_attrs/ndevs"));
    Files.writeString(directory.resolve("gid_attrs/ndevs/0"), "eth2\n");
    assertThat(RdmaDevices.retries(classes, "mlx5_0", 1)).as("no counters").isNegative();
    Files.createDirectories(directory.resolve("hw_counters"));
    Files.writeString(directory.resolve("hw_counters/packet_seq_err"), "3\n");
    Files.writeString(directory.resolve("hw_counters/local_ack_timeout_err"), "4\n");
    Files.writeString(directory.resolve("hw_counters/sent_pkts"), "100\n");
    assertThat(RdmaDevices.retries(classes, "mlx5_0", 1)).isEqualTo(7);
    Files.createDirectories(classes.resolve("net/eth2"));
    Files.writeString(classes.resolve("net/eth2/mtu"), "9000\n");
    assertThat(RdmaDevices.describe(classes, port))
        .isEqualTo(
            "mlx5_0/1 ACTIVE RoCE 10.77.0.1, 100 Gb/sec (4X EDR), eth2 MTU 9000, RDMA MTU 4096");
  }

  @Test
  void packetsOfRoceAreAsLargeAsTheEthernetAllows() {
    assertThat(RdmaDevices.roceMtu(9000)).isEqualTo(4096);
    assertThat(RdmaDevices.roceMtu(4200)).isEqualTo(4096);
    assertThat(RdmaDevices.roceMtu(1500)).isEqualTo(1024);
    assertThat(RdmaDevices.roceMtu(1024)).isEqualTo(512);
    assertThat(RdmaDevices.roceMtu(68)).isEqualTo(256);
  }

  private Availability look() {
    return new RdmaAvailability(
            classes, files, limits, () -> verbs, () -> connections, () -> canLimitPathMtu)
        .look(properties);
  }

  private void assertMissing(String why) {
    Availability found = look();
    assertThat(found.available()).as(found.reason()).isFalse();
    assertThat(found.reason()).isEqualTo(why);
  }

  @Test
  void whatIsThereIsShown() throws IOException {
    Availability found = look();
    assertThat(found.available()).as(found.reason()).isTrue();
    assertThat(found.reason())
        .startsWith("mlx5_0/1 ACTIVE RoCE ")
        .contains("10.77.0.1")
        .contains("; memory that may be locked: 8388608 bytes; retries: 6, 34 ms apart; ")
        .endsWith("; no slipstream.key: the TCP connections of streams prove peers");
  }

  @Test
  void whatProvesPeersIsShown() throws IOException {
    Path key = Files.writeString(root.resolve("key"), "sixteen bytes and more");
    properties.setProperty("slipstream.key", key.toString());
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
    assertMissing("slipstream.key=" + key + " can be read by others; make it rw-------");
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
    assertThat(look().reason()).endsWith("; slipstream.key proves peers");
    properties.setProperty("slipstream.key", "trusted");
    assertThat(look().reason()).contains("no slipstream.key");
  }

  /** What is done for each connect: the kernel may have hundreds of GIDs. */
  @Test
  void theStateOfOnePortTakesOneRead() throws IOException {
    assertThat(RdmaDevices.isActive(classes, "mlx5_0", 1)).isTrue();
    device("mlx5_0", "uverbs0", "1: DOWN");
    assertThat(RdmaDevices.isActive(classes, "mlx5_0", 1)).isFalse();
    assertThat(RdmaDevices.isActive(classes, "mlx5_0", 2)).isFalse();
    assertThat(RdmaDevices.isActive(classes, "mlx5_1", 1)).isFalse();
  }

  @Test
  void theOrderInForceIsSaidAndWhy() throws IOException {
    assertThat(look().reason())
        .contains("; order: completed, as the fabric of mlx5_0 is not known to keep the order");
    Files.createFile(classes.resolve("infiniband/mlx5_0/parent")); // as Soft-RoCE has
    assertThat(look().reason())
        .contains("; order: trusted, as mlx5_0 is a device in software, which places writes in");
    properties.setProperty("slipstream.rdma.order", "checksummed");
    assertThat(look().reason()).contains("; order: checksummed, as slipstream.rdma.order says;");
    properties.setProperty("slipstream.rdma.order", "believed");
    assertMissing(
        "slipstream.rdma.order must be auto, trusted, checksummed or completed, but is 'believed'");
  }

  @Test
  void softIwarpIsADeviceInSoftware() throws IOException {
    Files.writeString(classes.resolve("infiniband/mlx5_0/node_desc"), "Software iWARP stack\n");
    assertThat(RdmaDevices.isSoftware(classes, "mlx5_0")).isTrue();
    Files.writeString(classes.resolve("infiniband/mlx5_0/node_desc"), "host mlx5_0\n");
    assertThat(RdmaDevices.isSoftware(classes, "mlx5_0")).isFalse();
    assertThat(RdmaDevices.isSoftware(classes, "gone")).isFalse();
  }

  @Test
  void noDevice() {
    classes = root.resolve("nothing");
    assertMissing("no RDMA device: /sys/class/infiniband is empty");
  }

  @Test
  void noActivePort() throws IOException {
    device("mlx5_0", "uverbs0", "1: DOWN");
    assertThat(look().available()).isFalse();
    assertThat(look().reason()).startsWith("no active port: mlx5_0/1 DOWN RoCE");
  }

  @Test
  void noPortThatIsAllowed() {
    properties.setProperty("slipstream.rdma.ports", "mlx5_1");
    assertMissing("slipstream.rdma.ports names no active port: [mlx5_1]");
  }

  @Test
  void onlyDevicesOfIwarp() throws IOException {
    Files.writeString(classes.resolve("infiniband/mlx5_0/node_type"), "4: RNIC\n");
    assertMissing("iWARP is off; read docs/RDMA.md before you set slipstream.rdma.iwarp=true");
    properties.setProperty("slipstream.rdma.iwarp", "true");
    assertThat(look().available()).isTrue();
    assertThat(look().reason()).startsWith("mlx5_0/1 ACTIVE iWARP");
  }

  @Test
  void aBadSetting() {
    properties.setProperty("slipstream.rdma.traffic.class", "high");
    assertMissing("slipstream.rdma.traffic.class must be 0 to 255, but is 'high'");
  }

  @Test
  void noConnectionManager() throws IOException {
    Files.delete(files.resolve("rdma_cm"));
    assertMissing(files.resolve("rdma_cm") + MODULE + "rdma_ucm" + CONTAINERS);
  }

  /** A container may have one of the two files only. */
  @Test
  void noFileOfTheDevice() throws IOException {
    Files.delete(files.resolve("uverbs0"));
    assertMissing(files.resolve("uverbs0") + MODULE + "ib_uverbs" + CONTAINERS);
  }

  @Test
  void noFilesForPrograms() throws IOException {
    Files.delete(classes.resolve("infiniband_verbs/uverbs0/ibdev"));
    assertMissing("mlx5_0 is not for programs; load the kernel module ib_uverbs");
  }

  @Test
  void oneDeviceThatCanBeUsedIsEnough() throws IOException {
    device("mlx5_1", "uverbs1", "4: ACTIVE");
    assertThat(look().available()).as("the other one has no file").isTrue();
    properties.setProperty("slipstream.rdma.ports", "mlx5_1");
    assertMissing(files.resolve("uverbs1") + MODULE + "ib_uverbs" + CONTAINERS);
  }

  @Test
  void noLibraries() {
    connections = "librdmacm.so.1 is not installed (Debian package librdmacm1)";
    assertMissing(connections);
    verbs = "libibverbs.so.1 is not installed (Debian package libibverbs1)";
    assertMissing(verbs);
  }

  @Test
  void anOldConnectionManagerIsEnoughWithoutAPathMtu() {
    canLimitPathMtu = false;
    assertThat(look().available()).isTrue();
    properties.setProperty("slipstream.rdma.path.mtu", "1024");
    assertMissing("slipstream.rdma.path.mtu needs librdmacm 23 or newer");
  }

  @Test
  void theLimitMayBeNoneOrUnknown() throws IOException {
    Files.writeString(limits, "Max locked memory         unlimited    unlimited    bytes\n");
    assertThat(look().reason()).contains("memory that may be locked: unlimited");
    Files.delete(limits);
    assertThat(look().reason()).contains("memory that may be locked: unknown");
  }

  /** Whatever this machine has: no static initialiser fails. */
  @Test
  void theAnswerIsAlwaysAValue() {
    assertThat(new RdmaTransport().availability().reason()).isNotEmpty();
    assertThat(DeviceContext.failure()).doesNotContain("Exception");
    assertThat(ConnectionManager.failure()).doesNotContain("Exception");
  }
}
