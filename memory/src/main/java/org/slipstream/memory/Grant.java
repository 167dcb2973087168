package org.slipstream.memory;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The right to map a region: whose, which, and a secret that only its owner and its holder know.
 * The owner makes it ({@link Region#grant}) and can revoke it; a program hands it to another in any
 * way that keeps the secret, as {@link #encode text} for example.
 */
public final class Grant {
  static final int SECRET_BYTES = 16;
  private static final int PARTS = 4;

  private final Owner owner;
  private final String region;
  private final long number;
  private final String secret;

  Grant(Owner owner, String region, long number, String secret) {
    this.owner = owner;
    this.region = region;
    this.number = number;
    this.secret = secret;
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @param text of it
   * @return the grant; whether its owner knows it will turn out when it is used
   * @throws IllegalArgumentException if it is none
   */
  public static Grant decode(String text) {
    String[] parts = text.split("/", PARTS);
    @Nullable Owner owner = Owner.ofKey(parts[0]);
    if (parts.length != PARTS
        || owner == null
        || !parts[1].matches("[0-9a-f]{1,16}")
        || !parts[2].matches("[0-9a-f]{" + 2 * SECRET_BYTES + "}")) {
      throw new IllegalArgumentException("This is no grant of a region");
    }
    return new Grant(owner, parts[3], Long.parseUnsignedLong(parts[1], 16), parts[2]);
  }

  /**
   * Writes it as text, with the secret in it.
   *
   * @return one line, unless the name of the region has several
   */
  public String encode() {
    return owner.key() + "/" + Long.toHexString(number) + "/" + secret + "/" + region;
  }

  /**
   * Who exports the region.
   *
   * @return the process
   */
  public Owner owner() {
    return owner;
  }

  /**
   * Which region.
   *
   * @return its name
   */
  public String region() {
    return region;
  }

  long number() {
    return number;
  }

  /** 32 hexadecimal digits. */
  String secret() {
    return secret;
  }

  static String hex(byte[] secret) {
    return HexFormat.of().formatHex(secret);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "a grant of '" + region + "' of " + owner;
  }
}
