package org.slipstream.agent.memory;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slipstream.memory.MemoryDirectory;
import org.slipstream.memory.MemoryDirectoryProvider;

/** Finds directories of several hosts, whose libraries are not in slipstream.jar. */
final class Directories {
  private Directories() {}

  /**
   * Connects to ZooKeeper.
   *
   * @param where HOST:PORT,...
   * @param libraries a directory of jars; null if they are on the class path
   * @return to be closed
   * @throws IOException it does not answer, or the libraries are not there
   */
  static MemoryDirectory zooKeeper(String where, @Nullable Path libraries)
      throws IOException, InterruptedException {
    for (MemoryDirectoryProvider provider :
        ServiceLoader.load(MemoryDirectoryProvider.class, loader(libraries))) {
      if (provider.name().equals("zookeeper")) {
        return provider.connect(where);
      }
    }
    throw new IOException(
        "slipstream.jar has no ZooKeeper in it; put the jars of memory-zookeeper and of what it needs"
            + " into a directory, and name that with --libraries");
  }

  private static ClassLoader loader(@Nullable Path libraries) throws IOException {
    ClassLoader ours = Directories.class.getClassLoader();
    if (libraries == null) {
      return ours;
    }
    List<URL> jars = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(libraries, "*.jar")) {
      for (Path jar : all) {
        jars.add(jar.toUri().toURL());
      }
    } catch (NotDirectoryException | NoSuchFileException e) {
      throw new IOException("'" + libraries + "' is no directory", e);
    }
    return new URLClassLoader(jars.toArray(URL[]::new), ours); // as long as the process
  }
}
