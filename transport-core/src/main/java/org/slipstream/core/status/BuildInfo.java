package org.slipstream.core.status;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Which build of Slipstream this is, from a resource that the build fills in. It is read at the
 * first call of {@link #current}, not at the start of a program. Any thread.
 *
 * @param version as in the poms
 * @param commit the full name of the commit, with {@code -changed} behind it if the tree differed
 *     from it, or {@value #UNKNOWN} if the build had no repository
 */
public record BuildInfo(String version, String commit) {
  /** In place of what the build did not know. */
  public static final String UNKNOWN = "unknown";

  private static final String RESOURCE = "build.properties";

  /** Read once, by the first caller. */
  private static final class Holder {
    private static final BuildInfo CURRENT = read();
  }

  /**
   * Of the classes that are loaded here.
   *
   * @return {@value #UNKNOWN} for what can not be read, never an exception
   */
  public static BuildInfo current() {
    return Holder.CURRENT;
  }

  private static BuildInfo read() {
    Properties said = new Properties();
    try (InputStream in = BuildInfo.class.getResourceAsStream(RESOURCE)) {
      if (in != null) {
        said.load(in);
      }
    } catch (IOException | IllegalArgumentException e) {
      return new BuildInfo(UNKNOWN, UNKNOWN);
    }
    return of(said);
  }

  /** What a build wrote; an empty commit is one that it did not know. */
  static BuildInfo of(Properties said) {
    return new BuildInfo(known(said.getProperty("version")), known(said.getProperty("commit")));
  }

  private static String known(@Nullable String value) {
    return value == null || value.isBlank() ? UNKNOWN : value.strip();
  }

  /** For people: {@code 0.1.0 (commit 664c0645...)}. */
  @Override
  public String toString() {
    return version + " (commit " + commit + ")";
  }
}
