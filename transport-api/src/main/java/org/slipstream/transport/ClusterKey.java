package org.slipstream.transport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file with the secret that the processes of a cluster share: {@code slipstream.key}, for every
 * transport between hosts.
 */
public final class ClusterKey {
  /** The setting: a path, or {@link #TRUSTED}. */
  public static final String SETTING = "slipstream.key";

  /** The value of the setting for a fabric that no other process can reach: there is no key. */
  public static final String TRUSTED = "trusted";

  private static final int MIN_BYTES = 16;

  private ClusterKey() {}

  /**
   * Reads the key that {@link #SETTING} names.
   *
   * @param properties e.g. {@link System#getProperties}
   * @return the key; null if the setting is missing or {@link #TRUSTED}
   * @throws IOException with a sentence for the operator, e.g. if others can read the file
   */
  public static byte @Nullable [] read(Properties properties) throws IOException {
    String value = properties.getProperty(SETTING);
    return value == null ? null : read(SETTING, value);
  }

  /**
   * Reads a key.
   *
   * @param setting the name of the setting, for the sentence
   * @param value its value
   * @return the key; null if the value is {@link #TRUSTED}
   * @throws IOException with a sentence for the operator, e.g. if others can read the file
   */
  public static byte @Nullable [] read(String setting, String value) throws IOException {
    if (value.equals(TRUSTED)) {
      return null;
    }
    Path path = Path.of(value);
    byte[] key;
    try {
      Set<PosixFilePermission> mode =
          Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS);
      if (!mode.stream().allMatch(p -> p.name().startsWith("OWNER_"))) {
        throw new IOException(setting + "=" + path + " can be read by others; make it rw-------");
      }
      key = Files.readAllBytes(path);
    } catch (NoSuchFileException e) {
      throw new IOException(setting + "=" + path + " does not exist", e);
    }
    if (key.length < MIN_BYTES) {
      throw new IOException(
          "%s=%s has %d bytes, not %d or more".formatted(setting, path, key.length, MIN_BYTES));
    }
    return key;
  }
}
