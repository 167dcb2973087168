package org.slipstream.rdma;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.HostLines;

/**
 * Which address of an RDMA device belongs to the host of an address of TCP, by {@code
 * slipstream.hosts}. Where the file says nothing, both are the same address.
 *
 * <p>A line maps an address, or all addresses of a network, to one address or to a network of the
 * same size, in which a host has the same number. So the map can be asked in both directions: a
 * peer without a cluster key speaks for TCP connections of its own host, and of no other.
 */
final class FabricAddresses {
  /** Both are the same, for all. */
  static final FabricAddresses SAME = new FabricAddresses(List.of());

  /** What words look like; a process without such a file loads no regular expression. */
  private static final class Words {
    /** Nodes behind bridges, which are not ours. */
    static final Pattern NODE = Pattern.compile("\\d{1,9}@(\\d{1,2}|/\\S+)");

    static final Pattern LITERAL = Pattern.compile("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

    private Words() {}
  }

  private final List<Rule> rules;

  private FabricAddresses(List<Rule> rules) {
    this.rules = List.copyOf(rules);
  }

  /** Addresses that begin with the same bits. */
  private static final class Network {
    private final byte[] bytes;
    private final int bits;

    Network(byte[] bytes, int bits) {
      this.bytes = bytes;
      this.bits = bits;
    }

    boolean contains(byte[] address) {
      if (address.length != bytes.length) {
        return false;
      }
      for (int i = 0; i < bits; i++) {
        if (bit(address, i) != bit(bytes, i)) {
          return false;
        }
      }
      return true;
    }

    int hostBits() {
      return bytes.length * Byte.SIZE - bits;
    }

    /** The address here that has the number of another one of a network of the same size. */
    InetAddress withHostOf(byte[] other) {
      byte[] address = bytes.clone();
      for (int i = 0; i < hostBits(); i++) {
        int here = address.length * Byte.SIZE - 1 - i;
        if (bit(other, other.length * Byte.SIZE - 1 - i)) {
          address[here / Byte.SIZE] |= (byte) (0x80 >> here % Byte.SIZE);
        }
      }
      try {
        return InetAddress.getByAddress(address);
      } catch (UnknownHostException e) {
        throw new IllegalStateException(e); // of 4 or 16 bytes
      }
    }

    static boolean bit(byte[] bytes, int i) {
      return (bytes[i / Byte.SIZE] & 0x80 >> i % Byte.SIZE) != 0;
    }
  }

  private record Rule(Network tcp, Network fabric) {}

  /**
   * Reads the file that {@code slipstream.hosts} names.
   *
   * @throws IOException one sentence with the place of what is wrong
   */
  static FabricAddresses read(Properties properties) throws IOException {
    String path = HostLines.path(properties);
    return path == null ? SAME : read(Path.of(path));
  }

  static FabricAddresses read(Path path) throws IOException {
    List<Rule> rules = new ArrayList<>();
    for (HostLines.Line line : HostLines.read(HostLines.SETTING, path)) {
      Rule rule = rule(line);
      if (rule != null) {
        for (Rule before : rules) {
          if (overlap(before.tcp, rule.tcp) || overlap(before.fabric, rule.fabric)) {
            throw new IOException(
                line.where() + line.words().getFirst() + " has an address of a line before");
          }
        }
        rules.add(rule);
      }
    }
    return new FabricAddresses(rules);
  }

  /** Null if the line is about nodes behind bridges only. */
  private static @Nullable Rule rule(HostLines.Line line) throws IOException {
    Network tcp = network(line.words().getFirst(), line.where());
    Network fabric = null;
    for (String word : line.words().subList(1, line.words().size())) {
      if (!Words.NODE.matcher(word).matches()) {
        if (fabric != null) {
          throw new IOException(line.where() + word + " is a second RDMA address of one host");
        }
        fabric = network(word, line.where());
      }
    }
    if (fabric != null && fabric.hostBits() != tcp.hostBits()) {
      throw new IOException(line.where() + "the two networks are not of the same size");
    }
    if (fabric == null && line.words().size() < 2) {
      throw new IOException(
          line.where() + "there is no RDMA address and no NODE@ADAPTER behind the address");
    }
    return fabric == null ? null : new Rule(tcp, fabric);
  }

  private static boolean overlap(Network a, Network b) {
    return a.bits <= b.bits ? a.contains(b.bytes) : b.contains(a.bytes);
  }

  private static Network network(String word, String where) throws IOException {
    int slash = word.indexOf('/');
    String address = slash < 0 ? word : word.substring(0, slash);
    if (Words.LITERAL.matcher(address).matches()) {
      try {
        byte[] bytes = InetAddress.ofLiteral(address).getAddress();
        int all = bytes.length * Byte.SIZE;
        int bits = slash < 0 ? all : Integer.parseInt(word.substring(slash + 1));
        if (bits >= 0 && bits <= all && isZeroBehind(bytes, bits)) {
          return new Network(bytes, bits);
        }
      } catch (IllegalArgumentException e) {
        // the same sentence
      }
    }
    throw new IOException(
        where
            + word
            + " is neither an address nor a network nor NODE@ADAPTER (names are not"
            + " looked up)");
  }

  private static boolean isZeroBehind(byte[] bytes, int bits) {
    for (int i = bits; i < bytes.length * Byte.SIZE; i++) {
      if (Network.bit(bytes, i)) {
        return false;
      }
    }
    return true;
  }

  /** The address of a host on the fabric; null if the file does not say. */
  @Nullable InetAddress of(InetAddress tcp) {
    byte[] bytes = tcp.getAddress();
    for (Rule rule : rules) {
      if (rule.tcp.contains(bytes)) {
        return rule.fabric.withHostOf(bytes);
      }
    }
    return null;
  }

  /** Whether an address on the fabric is of the host that has an address of TCP. */
  boolean isOfHost(InetAddress fabric, InetAddress tcp) {
    return fabric.equals(tcp) || fabric.equals(of(tcp));
  }

  /** Whether something is true of an address on the fabric, or of the same host's of TCP. */
  boolean isTrue(InetAddress fabric, Predicate<InetAddress> test) {
    if (test.test(fabric)) {
      return true;
    }
    byte[] bytes = fabric.getAddress();
    return rules.stream()
        .filter(rule -> rule.fabric.contains(bytes))
        .anyMatch(rule -> test.test(rule.tcp.withHostOf(bytes)));
  }
}
