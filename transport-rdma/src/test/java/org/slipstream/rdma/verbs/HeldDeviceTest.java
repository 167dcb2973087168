package org.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ordinary files instead of those of a device. */
class HeldDeviceTest {
  @TempDir Path directory;

  @Test
  void filesAreLetGo() throws Exception {
    Path file = Files.createFile(directory.resolve("uverbs0"));
    try (InputStream open = Files.newInputStream(file)) {
      int descriptor = descriptor(file);
      new HeldDevice(descriptor, descriptor).release();
      assertThat(link(descriptor).toString()).contains("eventfd");
      assertThat(open).isNotNull();
    }
  }

  /** The kernel removes the name of a device while its users are being told. */
  @Test
  void filesThatLoseTheirNameMeanwhileAreLetGo() throws Exception {
    Path file = Files.createFile(directory.resolve("uverbs0"));
    try (InputStream open = Files.newInputStream(file)) {
      int descriptor = descriptor(file);
      HeldDevice held = new HeldDevice(descriptor, descriptor);
      Files.delete(file);
      held.release();
      assertThat(link(descriptor).toString()).contains("eventfd");
      assertThat(open).isNotNull();
    }
  }

  @Test
  void whatIsSomethingElseByNowIsLeftAlone() throws Exception {
    Path file = Files.createFile(directory.resolve("uverbs0"));
    HeldDevice held;
    int descriptor;
    try (InputStream open = Files.newInputStream(file)) {
      descriptor = descriptor(file);
      held = new HeldDevice(descriptor, descriptor);
      assertThat(open).isNotNull();
    }
    held.release();
    assertThat(exists(descriptor) && link(descriptor).toString().contains("eventfd")).isFalse();
  }

  private static boolean exists(int descriptor) {
    return Files.exists(path(descriptor), LinkOption.NOFOLLOW_LINKS);
  }

  private static int descriptor(Path file) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.map(p -> Integer.parseInt(p.getFileName().toString()))
          .filter(n -> leadsTo(n, file))
          .findFirst()
          .orElseThrow();
    }
  }

  private static boolean leadsTo(int descriptor, Path file) {
    try {
      return link(descriptor).equals(file.toRealPath());
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }

  private static Path link(int descriptor) throws IOException {
    return Files.readSymbolicLink(path(descriptor));
  }

  private static Path path(int descriptor) {
    return Path.of("/proc/self/fd", Integer.toString(descriptor));
  }
}
