package org.slipstream.transport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * The file that says which ways lead to which host, the same on all hosts: {@code slipstream.hosts}
 * and {@code docs/CONFIGURATION.md}. A line is an address as TCP sees it, then the ways to its
 * host. Each transport takes those that are its own:
 *
 * <pre>
 *   # address        ways: an address of an RDMA device, or node &#64; adapter
 *   192.168.1.7      10.0.0.7  4&#64;0
 *   192.168.2.0/24   10.0.2.0/24
 * </pre>
 */
public final class HostLines {
  /** The setting: a path. */
  public static final String SETTING = "slipstream.hosts";

  private HostLines() {}

  /**
   * A line.
   *
   * @param words of it, the address first; two at least
   * @param where {@code file:line: }, to begin a sentence with
   */
  public record Line(List<String> words, String where) {
    /** Its words do not change. */
    public Line {
      words = List.copyOf(words);
    }
  }

  /**
   * Where the file is.
   *
   * @param properties e.g. {@link System#getProperties}
   * @return null if there is none
   */
  public static @Nullable String path(Properties properties) {
    return properties.getProperty(SETTING);
  }

  /**
   * Reads the file.
   *
   * @param setting the name of the setting, for the sentence
   * @param path of the file
   * @return its lines, without comments and empty ones
   * @throws IOException with a sentence for the operator
   */
  public static List<Line> read(String setting, Path path) throws IOException {
    List<String> lines;
    try {
      lines = Files.readAllLines(path);
    } catch (IOException e) {
      throw new IOException(setting + "=" + path + " can not be read", e);
    }
    List<Line> all = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).replaceFirst("#.*", "").strip();
      if (!line.isEmpty()) {
        all.add(new Line(List.of(line.split("\\s+", -1)), path + ":" + (i + 1) + ": "));
      }
    }
    return all;
  }
}
