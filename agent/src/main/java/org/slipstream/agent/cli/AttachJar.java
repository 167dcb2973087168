package org.slipstream.agent.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/**
 * A jar that has nothing but a manifest, by which a process that runs already loads the agent from
 * slipstream.jar on its class path. The manifest of slipstream.jar itself names a boot class path,
 * for programs that start with it. In one that runs already that would turn the sharing of its own
 * classes off, with a line on its standard error, and would load a second copy of classes of
 * Slipstream that the program may have on its class path.
 */
final class AttachJar implements AutoCloseable {
  /** As the process that is attached to names the folder. */
  private static final Path FOLDER = Path.of("/tmp");

  private final Path file;

  private AttachJar(Path file) {
    this.file = file;
  }

  /**
   * Writes it where the process can read it, which has its own tree of files in a container.
   *
   * @param pid of the process
   * @param jar slipstream.jar
   * @throws IOException the folder can not be written to
   */
  static AttachJar write(String pid, Path jar) throws IOException {
    Path folder = Path.of("/proc", pid, "root").resolve(Path.of("/").relativize(FOLDER));
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      throw new NotDirectoryException(folder.toString()); // the link would lead out of its tree
    }
    Path file =
        Files.createTempFile(
            folder,
            "slipstream-attach-",
            ".jar",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
    AttachJar made = new AttachJar(file);
    try (OutputStream out = Files.newOutputStream(file);
        JarOutputStream all = new JarOutputStream(out, manifest(jar))) {
      all.finish();
      return made;
    } catch (IOException e) {
      made.close();
      throw e;
    }
  }

  private static Manifest manifest(Path jar) {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.put(new Attributes.Name("Agent-Class"), "org.slipstream.agent.launch.AgentLauncher");
    main.put(new Attributes.Name("Can-Retransform-Classes"), "true");
    main.put(Attributes.Name.CLASS_PATH, jar.toUri().toString());
    return manifest;
  }

  /** Where the process finds it. */
  String path() {
    return FOLDER.resolve(file.getFileName()).toString();
  }

  /** The process has opened it, and needs its name no longer. What can not be removed stays. */
  @Override
  public void close() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      return; // an empty jar; what became of the agent matters more
    }
  }
}
