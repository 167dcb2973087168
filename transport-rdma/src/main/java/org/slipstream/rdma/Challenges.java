package org.slipstream.rdma;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.slipstream.transport.ProcessId;

/**
 * Numbers that a peer has to prove itself with, each good once and for a short time. Nothing is
 * kept for a number that was given out, so that unproven peers can ask for as many as they like:
 * the first half says when that was, the second half that it was given to this process at this
 * address. Event thread only.
 */
final class Challenges {
  static final long LIFE_NS = 30_000_000_000L;

  /** Known to this object alone. */
  private final FabricKey secret;

  private long last;
  private boolean issued;

  /** Those that came back with a proof: only peers with the key can fill it. By when they end. */
  private final Map<Token, Long> used = new HashMap<>();

  Challenges() {
    ByteBuffer random = ByteBuffer.allocate(4 * Long.BYTES);
    Token.random().put(random);
    Token.random().put(random);
    secret = FabricKey.of(random.array());
  }

  /**
   * A new one.
   *
   * @param client that it is for
   * @param from where it is
   * @param now {@link System#nanoTime}
   */
  Token issue(ProcessId client, InetAddress from, long now) {
    last = issued && now - last <= 0 ? last + 1 : now;
    issued = true;
    return new Token(last, half(client, from, last));
  }

  private long half(ProcessId client, InetAddress from, long when) {
    ByteBuffer address = ByteBuffer.allocate(2 * Long.BYTES).put(from.getAddress()).rewind();
    Token at = new Token(when, from.getAddress().length);
    return secret
        .prove(HandshakeMessage.Kind.CHALLENGE, 0, client, ProcessId.get(address), at, Token.NONE)
        .first();
  }

  /** Whether it was given to this process there not long ago, and has not been used. */
  boolean isGood(Token number, ProcessId client, InetAddress from, long now) {
    return Math.abs(now - number.high()) <= LIFE_NS
        && half(client, from, number.high()) == number.low()
        && !used.containsKey(number);
  }

  /** For tests: how many are remembered. */
  int used() {
    return used.size();
  }

  /** It came with a proof. */
  void use(Token number, long now) {
    used.values().removeIf(end -> now - end > 0);
    used.put(number, number.high() + LIFE_NS);
  }
}
