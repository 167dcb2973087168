package org.slipstream.core.config;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.config.SlipstreamConfig.InvalidConfigException;

/**
 * The settings of a host: {@code /etc/slipstream.conf}, or the file that {@code slipstream.conf}
 * names. A line is {@code key = value}, with the keys of the command line, with or without {@code
 * slipstream.} before them; {@code #} begins a comment. What is set by a property, or as an
 * argument of the agent, stays as it is.
 */
public final class HostSettings {
  private static final String DEFAULT = "/etc/slipstream.conf";
  private static final AtomicReference<@Nullable Properties> APPLIED = new AtomicReference<>();

  private HostSettings() {}

  /**
   * Adds the settings of the host to the system properties, once in a process. Blocks for one small
   * file.
   *
   * @throws InvalidConfigException if the file is there and can not be read or understood: one
   *     sentence with its line; then nothing was added
   */
  public static void apply() {
    Properties system = System.getProperties();
    if (APPLIED.compareAndSet(null, system)) {
      addTo(system);
    }
  }

  /**
   * Adds the settings of the host to others.
   *
   * @param properties which name the file, and stay as they are where they say something
   * @throws InvalidConfigException as {@link #apply}
   */
  static void addTo(Properties properties) {
    String named = properties.getProperty(SlipstreamConfig.CONF);
    String file = named == null ? DEFAULT : named;
    Properties found = new Properties();
    String text = read(file, named != null);
    int number = 0;
    for (String whole : text.split("\n", -1)) {
      number++;
      String line = whole.strip();
      if (!line.isEmpty() && line.charAt(0) != '#') {
        add(line, file + ":" + number + ": ", found);
      }
    }
    for (String key : found.stringPropertyNames()) {
      properties.putIfAbsent(key, found.getProperty(key));
    }
  }

  private static void add(String line, String where, Properties found) {
    int equals = line.indexOf('=');
    if (equals <= 0) {
      throw new InvalidConfigException(where + "'" + line + "' is not key = value");
    }
    String word = line.substring(0, equals).strip();
    String key = word.startsWith(SlipstreamConfig.PREFIX) ? word : SlipstreamConfig.PREFIX + word;
    if (key.equals(SlipstreamConfig.CONF)) {
      throw new InvalidConfigException(where + key + " can not be set in the file that it names");
    }
    try {
      SlipstreamConfig.requireKnown(key);
    } catch (InvalidConfigException e) {
      throw new InvalidConfigException(where + e.getMessage());
    }
    if (found.putIfAbsent(key, line.substring(equals + 1).strip()) != null) {
      throw new InvalidConfigException(where + key + " is there twice");
    }
  }

  /** Not by {@code java.nio.file}, of which this would be the first use in many programs. */
  private static String read(String file, boolean isNamed) {
    try (FileInputStream in = new FileInputStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (FileNotFoundException e) {
      if (!isNamed && !new File(file).exists()) {
        return "";
      }
      throw new InvalidConfigException(SlipstreamConfig.CONF + "=" + file + " can not be read");
    } catch (IOException e) {
      throw new InvalidConfigException(
          SlipstreamConfig.CONF + "=" + file + " can not be read: " + e.getMessage());
    }
  }
}
