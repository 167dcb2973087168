package org.slipstream.agent.cli;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;

/** The jar that this command line is in, and that switches Slipstream on elsewhere. */
final class AgentJar {
  private AgentJar() {}

  /**
   * Finds it.
   *
   * @throws IOException the commands were started from classes, for example in a test
   */
  static Path path() throws IOException {
    CodeSource source = AgentJar.class.getProtectionDomain().getCodeSource();
    try {
      if (source != null) {
        Path path = Path.of(source.getLocation().toURI());
        if (Files.isRegularFile(path)) {
          return path.toAbsolutePath();
        }
      }
    } catch (URISyntaxException e) {
      throw new IOException("the path of slipstream.jar can not be read: " + e.getMessage(), e);
    }
    throw new IOException("start it with java -jar slipstream.jar");
  }
}
