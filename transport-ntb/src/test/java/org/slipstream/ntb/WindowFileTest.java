package org.slipstream.ntb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.transport.Availability;

/** How large a window is, and whether it can be had. */
class WindowFileTest {
  /** A character device that every user may map: number 1:5, and 0 bytes long as all of them. */
  private static final Path DEVICE = Path.of("/dev/zero");

  @TempDir private Path directory;

  private void size(String text) throws Exception {
    Path entry = directory.resolve("1:5");
    Files.createDirectories(entry);
    Files.writeString(entry.resolve("size"), text);
  }

  @Test
  void aDeviceIsAsLargeAsSysfsSays() throws Exception {
    size("2097152\n");
    WindowFile window = WindowFile.of(DEVICE, directory);
    assertThat(window.isDevice()).isTrue();
    assertThat(window.bytes()).isEqualTo(2 << 20);
    try (FileChannel channel = window.open()) {
      MemorySegment memory = window.map(channel);
      assertThat(memory.byteSize()).isEqualTo(2 << 20);
      memory.set(ValueLayout.JAVA_BYTE, (2 << 20) - 1, (byte) 7);
      assertThat(memory.get(ValueLayout.JAVA_BYTE, (2 << 20) - 1)).isEqualTo((byte) 7);
    }
  }

  @Test
  void aDeviceWithoutASizeIsNone() throws Exception {
    assertThatThrownBy(() -> WindowFile.of(DEVICE, directory))
        .hasMessageStartingWith("/dev/zero is a device, and ")
        .hasMessageEndingWith("is it a device-DAX?");
    size("large\n");
    assertThatThrownBy(() -> WindowFile.of(DEVICE, directory)).hasMessageContaining("DAX");
    size("4096\n");
    assertThatThrownBy(() -> WindowFile.of(DEVICE, directory))
        .hasMessage("/dev/zero has 4096 bytes, and a window needs 1048576");
  }

  private Availability look(Path window) throws Exception {
    Path hosts = directory.resolve("hosts");
    Files.writeString(hosts, "10.1.1.1 1@" + window + "\n10.1.1.2 2@" + window + "\n");
    Properties settings = new Properties();
    settings.setProperty("slipstream.ntb.hosts", hosts.toString());
    settings.setProperty("slipstream.ntb.key", "trusted");
    settings.setProperty("slipstream.ntb.node", "1");
    return new NtbTransport(NtbSettings.read(settings)).availability();
  }

  /** It said "available" before it had looked at the file at all. */
  @Test
  void aWindowThatCanNotBeOpenedIsNotAvailable() throws Exception {
    Path window = directory.resolve("window");
    Availability found = look(window);
    assertThat(found.available()).isFalse();
    assertThat(found.reason())
        .isEqualTo(window + " can not be opened; is it there, and may we write it?");
    try (RandomAccessFile f = new RandomAccessFile(window.toFile(), "rw")) {
      f.setLength(4096);
      assertThat(look(window).reason()).contains(" has 4096 bytes, and a window needs 1048576");
      f.setLength(4 << 20);
    }
    found = look(window);
    assertThat(found.available()).as(found.reason()).isTrue();
    assertThat(found.reason()).isEqualTo(window + ": 4194304 bytes, from node 1 to 2");
  }

  /** The kernel gives all locks of a file back when any descriptor of it is closed. */
  @Test
  void aLookDoesNotCostTheLockOfAWindowThatIsInUse() throws Exception {
    Path window = directory.resolve("window");
    try (RandomAccessFile f = new RandomAccessFile(window.toFile(), "rw")) {
      f.setLength(4 << 20);
    }
    FileFabric used = FileFabric.open(window, 1, 2);
    assertThat(look(window).available()).isTrue();
    String locks = Files.readString(Path.of("/proc/locks"));
    Object inode = Files.getAttribute(window, "unix:ino");
    assertThat(locks).contains(":" + inode + " ");
    used.close();
  }

  @Test
  void theSizeOfTheBoardsWindowIsChecked() {
    Properties settings = new Properties();
    assertThat(NtbSettings.read(settings).windowBytes()).isEqualTo(64L << 20);
    settings.setProperty("slipstream.ntb.window", "2g");
    assertThat(NtbSettings.read(settings).windowBytes()).isEqualTo(2L << 30);
    settings.setProperty("slipstream.ntb.window", "1000");
    assertThat(NtbSettings.read(settings).windowBytes()).isEqualTo(1000);
    settings.setProperty("slipstream.ntb.window", "all");
    assertThat(NtbSettings.read(settings).windowBytes()).isNegative();
  }
}
