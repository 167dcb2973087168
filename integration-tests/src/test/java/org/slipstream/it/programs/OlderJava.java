package org.slipstream.it.programs;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * A Java of this machine that is too old for Slipstream.
 *
 * @param feature its release: 8, 17
 * @param java its launcher
 */
record OlderJava(int feature, Path java) {
  private static final int NEEDED = 25;

  /** One of each release that this machine has, the oldest first. */
  static List<OlderJava> all() throws IOException {
    Map<Integer, OlderJava> found = new TreeMap<>();
    for (Path home : homes()) {
      int feature = feature(home);
      Path java = home.resolve("bin/java");
      if (feature > 0 && feature < NEEDED && Files.isExecutable(java)) {
        found.putIfAbsent(feature, new OlderJava(feature, java));
      }
    }
    return List.copyOf(found.values());
  }

  private static List<Path> homes() throws IOException {
    List<Path> homes = new ArrayList<>();
    for (String folder :
        List.of("/usr/lib/jvm", "/opt", System.getenv("HOME") + "/.sdkman/candidates/java")) {
      if (Files.isDirectory(Path.of(folder))) {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of(folder))) {
          all.forEach(homes::add);
        }
      }
    }
    for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
      Path java = Path.of(folder).resolve("java");
      if (Files.isExecutable(java)) {
        homes.add(java.toRealPath().getParent().getParent());
      }
    }
    return homes;
  }

  private static int feature(Path home) throws IOException {
    Path release = home.resolve("release");
    if (!Files.isReadable(release)) {
      return 0;
    }
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(release)) {
      properties.load(reader);
    }
    String version = properties.getProperty("JAVA_VERSION", "").replace("\"", "");
    String digits = version.replaceFirst("^1\\.", "").replaceFirst("[^0-9].*", "");
    return digits.isEmpty() ? 0 : Integer.parseInt(digits);
  }
}
