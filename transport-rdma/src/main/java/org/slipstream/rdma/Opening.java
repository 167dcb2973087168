package org.slipstream.rdma;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.HandshakeMessage.Kind;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Refusal;

/**
 * The connecting end's part of the handshake: one request, and what is believed of its answer.
 * Pure.
 *
 * <pre>
 *   without a key:  HELLO - ACCEPT              with one:  HELLO - CHALLENGE   PROVE - ACCEPT
 *                   HELLO - KNOWN  LOST - ACCEPT           ... PROVE - KNOWN   LOST - ACCEPT
 * </pre>
 */
final class Opening {
  private final FabricKey key;
  private final HandshakeMessage request;

  /** The process that answered the request before this one. */
  private final @Nullable ProcessId server;

  private Opening(FabricKey key, HandshakeMessage request, @Nullable ProcessId server) {
    this.key = key;
    this.request = request;
    this.server = server;
  }

  /** The first request to an address. */
  static Opening hello(FabricKey key, ProcessId self, int maxPathMtu) {
    Token nonce = key.isSet() ? Token.random() : Token.NONE;
    int detail = HandshakeMessage.detailOfPathMtu(maxPathMtu);
    return new Opening(key, HandshakeMessage.of(Kind.HELLO, detail, self, nonce, Proof.NONE), null);
  }

  /**
   * The only request for a session beside another one.
   *
   * @param server the process of that one
   * @param ticket of that one
   * @param count how many such requests there have been, with this one
   */
  static Opening rail(
      FabricKey key, ProcessId self, ProcessId server, Token ticket, long count, int maxPathMtu) {
    int detail = HandshakeMessage.detailOfPathMtu(maxPathMtu);
    Token number = new Token(count, Token.random().low());
    Proof proof = key.prove(Kind.RAIL, detail, self, server, number, ticket);
    return new Opening(key, HandshakeMessage.of(Kind.RAIL, detail, self, number, proof), server);
  }

  /** What to say. */
  HandshakeMessage request() {
    return request;
  }

  private Opening next(Kind kind, ProcessId from, Token number, Token bound) {
    Proof proof = key.prove(kind, request.detail(), request.process(), from, number, bound);
    return new Opening(
        key, HandshakeMessage.of(kind, request.detail(), request.process(), number, proof), from);
  }

  /**
   * Reads a rejection.
   *
   * @param answer of the peer
   * @return the request that has to follow; null if the peer has a session with us already
   * @throws IOException there will be no session
   */
  @Nullable Opening rejected(HandshakeMessage answer) throws IOException {
    return switch (answer.kind()) {
      case CHALLENGE -> challenged(answer);
      case KNOWN -> {
        requireProof(answer);
        yield null;
      }
      default -> throw refusal(answer);
    };
  }

  private Opening challenged(HandshakeMessage answer) throws RefusedException {
    if (!key.isSet()) {
      throw new RefusedException(Refusal.KEY, "the peer wants slipstream.key, and there is none");
    }
    requireProof(answer);
    if (request.kind() != Kind.HELLO) {
      throw new RefusedException(Refusal.KEY, "the peer does not believe our proof");
    }
    return next(Kind.PROVE, answer.process(), answer.number(), Token.NONE);
  }

  private static IOException refusal(HandshakeMessage answer) {
    Refusal why = answer.kind() == Kind.REFUSED ? RefusedException.of(answer) : null;
    return why == null
        ? new IOException("the peer refuses without a reason")
        : new RefusedException(why, why.sentence());
  }

  /**
   * Whether this may be followed by {@link #lost}: only once, or two peers could go on for ever.
   */
  boolean mayBeLost() {
    return request.kind() != Kind.LOST && request.kind() != Kind.RAIL;
  }

  /**
   * What to say to a peer that has a session with us, of which we know nothing.
   *
   * @param known its rejection
   * @param ticket of the session that was lost; {@link Token#NONE} if there was none: then another
   *     peer said to be us, and the peer keeps both
   */
  Opening lost(HandshakeMessage known, Token ticket) {
    return next(Kind.LOST, known.process(), key.isSet() ? known.number() : Token.NONE, ticket);
  }

  /**
   * Reads an acceptance.
   *
   * @throws RefusedException it is not proven, and we have a key
   */
  void accepted(HandshakeMessage answer) throws RefusedException {
    if (answer.kind() != Kind.ACCEPT) {
      throw new RefusedException(Refusal.VERSION, "the peer accepts with " + answer.kind());
    }
    requireProof(answer);
  }

  private void requireProof(HandshakeMessage answer) throws RefusedException {
    if (!key.isSet()) {
      return;
    }
    ProcessId from = answer.process();
    Proof right =
        key.prove(
            answer.kind(),
            answer.detail(),
            request.process(),
            from,
            answer.number(),
            request.number());
    if (!right.isSame(answer.proof()) || (server != null && !server.equals(from))) {
      throw new RefusedException(
          Refusal.KEY, "the peer does not prove that it has the same slipstream.key");
    }
  }
}
