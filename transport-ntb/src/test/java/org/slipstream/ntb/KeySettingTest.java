package org.slipstream.ntb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One key for all transports between hosts, or one of NTB's own. */
class KeySettingTest {
  @TempDir Path directory;
  private final Properties properties = new Properties();

  private Path key(String name, String content, String mode) throws IOException {
    Path key = Files.writeString(directory.resolve(name), content);
    return Files.setPosixFilePermissions(key, PosixFilePermissions.fromString(mode));
  }

  private byte[] read() throws IOException {
    return MessageMac.readKey(NtbSettings.read(properties));
  }

  @Test
  void theKeyOfTheClusterIsUsedUnlessThereIsOneOfItsOwn() throws Exception {
    Path common = key("common", "of the whole cluster", "rw-------");
    properties.setProperty("slipstream.key", common.toString());
    assertThat(read()).asString().isEqualTo("of the whole cluster");
    Path own = key("own", "of this transport alone", "r--------");
    properties.setProperty("slipstream.ntb.key", own.toString());
    assertThat(read()).asString().isEqualTo("of this transport alone");
    properties.setProperty("slipstream.ntb.key", "trusted");
    assertThat(read()).isNull();
  }

  /** A hosts file with nodes says that NTB is wanted; one with addresses of RDMA alone does not. */
  @Test
  void aHostWithNodesButWithoutAKeyIsTold() throws Exception {
    assertThat(mistake()).as("NTB is not set").isNull();
    Path hosts = Files.writeString(directory.resolve("hosts"), "10.0.0.1 192.168.0.1\n");
    properties.setProperty("slipstream.ntb.hosts", hosts.toString());
    assertThat(mistake()).as("RDMA alone").isNull();
    Files.writeString(hosts, "10.0.0.1 4@0\n10.0.0.2 8@0\n");
    assertThat(mistake()).startsWith("slipstream.key names no key file");
    properties.setProperty(
        "slipstream.key", key("key", "0123456789abcdef", "rw-------").toString());
    assertThat(mistake()).as("a missing library is none").isNull();
    properties.setProperty("slipstream.ntb.dma", "perhaps");
    assertThat(mistake()).startsWith("slipstream.ntb.dma=perhaps is neither");
  }

  private @Nullable String mistake() {
    return new NtbTransport(NtbSettings.read(properties)).mistake();
  }

  @Test
  void whatIsWrongIsSaidOfTheSettingThatNamesIt() throws Exception {
    assertThatThrownBy(this::read).hasMessageStartingWith("slipstream.key names no key file");
    properties.setProperty("slipstream.key", directory.resolve("none").toString());
    assertThatThrownBy(this::read)
        .hasMessage("slipstream.key=" + directory.resolve("none") + " does not exist");
    Path open = key("open", "every user can read this", "rw-r--r--");
    properties.setProperty("slipstream.ntb.key", open.toString());
    assertThatThrownBy(this::read)
        .hasMessage("slipstream.ntb.key=" + open + " can be read by others; make it rw-------");
    Path few = key("few", "0123456789abcde", "rw-------");
    properties.setProperty("slipstream.ntb.key", few.toString());
    assertThatThrownBy(this::read)
        .hasMessage("slipstream.ntb.key=" + few + " has 15 bytes, not 16 or more");
  }
}
