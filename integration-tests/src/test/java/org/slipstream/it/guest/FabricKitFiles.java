package org.slipstream.it.guest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What the hardware kit takes to two hosts: the tests, what they need, and the product. Not part of
 * verify: {@code config/fabric-kit} runs it by name.
 */
public class FabricKitFiles {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @Test
  void files() throws Exception {
    write(Path.of("target", "fabric-kit").toAbsolutePath());
  }

  /**
   * Writes them.
   *
   * @param kit a directory; jars of the repository are links in it
   */
  public static void write(Path kit) throws IOException {
    Path library = Files.createDirectories(kit.resolve("lib"));
    List<Path> classPath = GuestArchive.ofThisJvm();
    Path own = ownClasses();
    for (int i = 0; i < classPath.size(); i++) {
      Path entry = classPath.get(i).toAbsolutePath().normalize();
      Path jar = library.resolve("%03d.jar".formatted(i)); // the order of a class path matters
      Files.deleteIfExists(jar);
      if (Files.isDirectory(entry)) {
        GuestArchive.jar(entry, jar);
        if (entry.equals(own)) {
          link(kit.resolve("programs.jar"), Path.of("lib").resolve(jar.getFileName()));
        }
      } else {
        Files.createSymbolicLink(jar, entry);
      }
    }
    link(
        kit.resolve("slipstream.jar"),
        Path.of(System.getProperty("slipstream.jar")).toAbsolutePath().normalize());
    link(kit.resolve("find-jdk.sh"), ROOT.resolve(".mvn/find-jdk.sh"));
    Path host = kit.resolve("fabric-kit-host");
    Files.deleteIfExists(host);
    Files.copy(ROOT.resolve("config/fabric-kit-host"), host);
    host.toFile().setExecutable(true);
  }

  private static void link(Path link, Path target) throws IOException {
    Files.deleteIfExists(link);
    Files.createSymbolicLink(link, target);
  }

  private static Path ownClasses() throws IOException {
    return Path.of("target", "test-classes").toRealPath();
  }
}
