package org.slipstream.ntb;

import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.ClusterKey;
import org.slipstream.transport.HostLines;

/**
 * The settings of this transport; {@code docs/NTB.md} explains them.
 *
 * @param hosts {@code slipstream.ntb.hosts}: path of the hosts file, else {@code slipstream.hosts};
 *     null switches the transport off
 * @param library {@code slipstream.ntb.library}: name or path of the SISCI library
 * @param key {@code slipstream.key}, or {@code slipstream.ntb.key} for this transport alone: path
 *     of the cluster key, or {@code trusted}
 * @param keySetting which of the two settings it is
 * @param dma {@code slipstream.ntb.dma}: {@code auto}, {@code off}, or bytes from which on the DMA
 *     engine is used
 * @param check {@code slipstream.ntb.check}: {@code commit} asks the driver whether stores have
 *     arrived before a sleep, at the end and every 50 ms; {@code publish} also before each position
 * @param node {@code slipstream.ntb.node}: our node id in mapped files; null = by our addresses
 * @param window {@code slipstream.ntb.window}: how much of the window of each board this process
 *     maps at most; {@code k}, {@code m} or {@code g} behind the number
 */
public record NtbSettings(
    @Nullable String hosts,
    String library,
    @Nullable String key,
    String keySetting,
    String dma,
    String check,
    @Nullable String node,
    String window) {

  /** The value of the key setting for a fabric that no other process can reach. */
  public static final String TRUSTED = ClusterKey.TRUSTED;

  /**
   * A quarter of the window that Dolphin's boards have by default, which all processes of a host
   * and the vendor's own programs share.
   */
  static final String WINDOW = "64m";

  private static final String PREFIX = "slipstream.ntb.";

  /**
   * With a key of this transport's own.
   *
   * @param hosts as above
   * @param library as above
   * @param key {@code slipstream.ntb.key}
   * @param dma as above
   * @param check as above
   * @param node as above
   * @param window as above
   */
  public NtbSettings(
      @Nullable String hosts,
      String library,
      @Nullable String key,
      String dma,
      String check,
      @Nullable String node,
      String window) {
    this(hosts, library, key, PREFIX + "key", dma, check, node, window);
  }

  /**
   * Reads them.
   *
   * @param properties e.g. {@link System#getProperties}
   * @return the settings, unchecked
   */
  public static NtbSettings read(Properties properties) {
    String own = properties.getProperty(PREFIX + "key");
    return new NtbSettings(
        properties.getProperty(PREFIX + "hosts", HostLines.path(properties)),
        properties.getProperty(PREFIX + "library", "libsisci.so"),
        own != null ? own : properties.getProperty(ClusterKey.SETTING),
        own != null ? PREFIX + "key" : ClusterKey.SETTING,
        properties.getProperty(PREFIX + "dma", "auto"),
        properties.getProperty(PREFIX + "check", "commit"),
        properties.getProperty(PREFIX + "node"),
        properties.getProperty(PREFIX + "window", WINDOW));
  }

  /** Bytes; -1 if the setting is none. */
  long windowBytes() {
    if (!window.matches("[1-9]\\d{0,8}[kKmMgG]?")) {
      return -1;
    }
    int unit = "kmg".indexOf(Character.toLowerCase(window.charAt(window.length() - 1))) + 1;
    String number = unit == 0 ? window : window.substring(0, window.length() - 1);
    return Long.parseLong(number) << (10 * unit);
  }

  boolean checksEachPublish() {
    return check.equals("publish");
  }
}
