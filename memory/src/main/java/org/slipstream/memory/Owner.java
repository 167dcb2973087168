package org.slipstream.memory;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names the process that owns a region: by its process id, or by an address where it listens.
 *
 * <pre>
 *   key:  pid-NAMESPACE-PID    a number counts in one namespace of process ids only
 *         at-PORT-ADDRESS      32 hexadecimal digits; all zero: every address of the host
 * </pre>
 */
public final class Owner {
  private static final Pattern KEY =
      Pattern.compile("pid-\\d{1,20}-\\d{1,10}|at-\\d{1,5}-[0-9a-f]{32}");
  private static final Path NAMESPACE = Path.of("/proc/self/ns/pid");
  private static final int ADDRESS_BYTES = 16;
  private static final int MAX_PORT = 65535;
  private static final String ANY = "0".repeat(2 * ADDRESS_BYTES);

  private final String key;

  private Owner(String key) {
    this.key = key;
  }

  /**
   * Names a process by its number.
   *
   * @param pid as this process sees it
   * @return the name
   */
  public static Owner process(long pid) {
    return new Owner("pid-" + namespace() + "-" + pid);
  }

  /**
   * Names the process that has {@link Domain#announce announced} an address.
   *
   * @param address of a listener on this host
   * @return the name
   */
  public static Owner at(InetSocketAddress address) {
    InetAddress ip =
        Objects.requireNonNull(address.getAddress(), () -> address + " is not resolved");
    byte[] raw = ip.getAddress();
    byte[] all = new byte[ADDRESS_BYTES];
    if (!ip.isAnyLocalAddress()) {
      if (raw.length < all.length) { // IPv4, mapped
        all[10] = (byte) 0xFF;
        all[11] = (byte) 0xFF;
      }
      System.arraycopy(raw, 0, all, all.length - raw.length, raw.length);
    }
    return new Owner("at-" + address.getPort() + "-" + HexFormat.of().formatHex(all));
  }

  /** Containers number their processes anew, and may share a directory. */
  private static String namespace() {
    try {
      String link = Files.readSymbolicLink(NAMESPACE).toString(); // pid:[4026531836]
      return link.replaceAll("[^0-9]", "");
    } catch (IOException e) {
      return "0";
    }
  }

  /** Returns null if it is no key. */
  static @Nullable Owner ofKey(String key) {
    return KEY.matcher(key).matches() ? new Owner(key) : null;
  }

  String key() {
    return key;
  }

  /** The address by which it is named; null if it is named otherwise. */
  @Nullable InetSocketAddress address() {
    String[] parts = key.split("-", -1);
    int port = parts[0].equals("at") ? Integer.parseInt(parts[1]) : MAX_PORT + 1;
    if (port > MAX_PORT) {
      return null;
    }
    try {
      byte[] raw = HexFormat.of().parseHex(parts[2]);
      return new InetSocketAddress(InetAddress.getByAddress(raw), port);
    } catch (UnknownHostException e) {
      throw new IllegalStateException("16 bytes are an address", e);
    }
  }

  /** The keys by which the process may have announced itself. */
  List<String> keys() {
    if (!key.startsWith("at-") || key.endsWith("-" + ANY)) {
      return List.of(key);
    }
    return List.of(key, key.substring(0, key.lastIndexOf('-') + 1) + ANY);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Owner owner && owner.key.equals(key);
  }

  @Override
  public int hashCode() {
    return key.hashCode();
  }

  /** For messages. */
  @Override
  public String toString() {
    String[] parts = key.split("-", -1);
    return parts[0].equals("pid")
        ? "process " + parts[2]
        : "the process at port " + parts[1] + " of address " + parts[2];
  }
}
