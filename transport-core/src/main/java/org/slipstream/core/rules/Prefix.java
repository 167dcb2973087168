package org.slipstream.core.rules;

import java.net.InetAddress;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The addresses that begin with the same bits. */
final class Prefix {
  /** Literals only: no rule asks a name server. */
  private static final Pattern LITERAL = Pattern.compile("[0-9a-fA-F:.]+");

  private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

  private final byte[] bytes;
  private final int bits;

  private Prefix(byte[] bytes, int bits) {
    this.bytes = bytes;
    this.bits = bits;
  }

  /**
   * Reads {@code 10.0.0.0/8}, {@code 10.1.2.3}, {@code fd00::/8} or {@code ::1}.
   *
   * @throws IllegalArgumentException with a clause that says what is wrong
   */
  static Prefix parse(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    byte[] bytes = literal(address);
    int longest = bytes.length * Byte.SIZE;
    int bits = longest;
    if (slash >= 0) {
      String length = text.substring(slash + 1);
      if (!length.matches("\\d{1,3}") || Integer.parseInt(length) > longest) {
        throw new IllegalArgumentException(
            "'" + text + "': a prefix has 0 to " + longest + " bits");
      }
      bits = Integer.parseInt(length);
    }
    for (int i = bits; i < longest; i++) {
      if (bit(bytes, i)) {
        throw new IllegalArgumentException(
            "'" + text + "': bits behind the prefix of " + bits + " are set");
      }
    }
    return new Prefix(bytes, bits);
  }

  private static byte[] literal(String address) {
    boolean four = IPV4.matcher(address).matches();
    if (four || (address.indexOf(':') >= 0 && LITERAL.matcher(address).matches())) {
      try {
        return InetAddress.ofLiteral(address).getAddress();
      } catch (IllegalArgumentException e) {
        throw notAnAddress(address, e);
      }
    }
    throw notAnAddress(address, null);
  }

  private static IllegalArgumentException notAnAddress(String address, @Nullable Throwable cause) {
    return new IllegalArgumentException("'" + address + "' is not a numeric IP address", cause);
  }

  private static boolean bit(byte[] bytes, int i) {
    return (bytes[i / Byte.SIZE] & 0x80 >> i % Byte.SIZE) != 0;
  }

  /** Whether an address begins with this. IPv4 in IPv6 counts as IPv4, as Java has it. */
  boolean contains(InetAddress address) {
    byte[] other = address.getAddress();
    if (other.length != bytes.length) {
      return false;
    }
    for (int i = 0; i < bits; i++) {
      if (bit(bytes, i) != bit(other, i)) {
        return false;
      }
    }
    return true;
  }
}
