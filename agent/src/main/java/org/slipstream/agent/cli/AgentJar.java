package org.slipstream.agent.cli;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;

/** The jar that this command line is in, and that switches Slipstream on elsewhere. */
final class AgentJar {
  private AgentJar() {}

  /**
   * Finds it. Asks for this class as a resource: where the agent runs in this process, too, the
   * class is of the boot loader, and has no code source.
   *
   * @throws IOException the commands were started from classes, for example in a test
   */
  static Path path() throws IOException {
    URL here = AgentJar.class.getResource("AgentJar.class");
    try {
      if (here != null && here.openConnection() instanceof JarURLConnection jar) {
        return Path.of(jar.getJarFileURL().toURI()).toAbsolutePath();
      }
    } catch (URISyntaxException e) {
      throw new IOException("the path of slipstream.jar can not be read: " + e.getMessage(), e);
    }
    throw new IOException("start it with java -jar slipstream.jar");
  }
}
