package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.spi.SelectorProvider;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.slipstream.core.api.Reason;
import org.slipstream.core.identity.SegmentHead;
import org.slipstream.core.stream.FakeSession;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.fuzz.FuzzTest;
import org.slipstream.fuzz.Fuzzer;
import org.slipstream.fuzz.Trace;
import org.slipstream.testkit.transport.HeapWindow;

/**
 * A peer sends any frames: about a stream of ours that it was offered, about one that we accepted
 * and it may offer, about links of others. The answer is an IOException for its session, or
 * nothing; the streams of others go on; and when all is over each window was given back once, and
 * no table has an entry left.
 *
 * <p>An input: frames, each behind its length (1). Ids count from our offer, which is 0; the link
 * of an accepted offer is 1. A tuple that begins with {@code eeeeeeee} is that of our accepted
 * stream.
 */
class FrameFuzzTest {
  private static final int HERE = 0xEEEEEEEE;
  private static final int TUPLE_AT = 1 + Long.BYTES;

  /** Of each accepted connection. */
  private static final SegmentHead FIRST = new SegmentHead(0x00010002, 0, 7);

  private final FakeEndpoint endpoint = new FakeEndpoint();
  private final ManualReactor reactor = new ManualReactor();
  private final Nudger nudger = new Nudger(reactor);
  private final LinkTable links = new LinkTable(reactor, (stream, first) -> {});
  private final AcceptedStreams accepted =
      new AcceptedStreams(
          links,
          reactor,
          new PathBeacons(SelectorProvider.provider(), reactor),
          channel -> true,
          NamedConnections.all(FIRST));
  private final Offers offers =
      new Offers(
          links,
          List.of(endpoint),
          nudger,
          new Probes(SelectorProvider.provider(), reactor),
          stream -> {},
          stream -> {},
          session -> false,
          stream -> {});
  private final TranslatedStreams translated =
      new TranslatedStreams(List.of(), links, NamedConnections.all(FIRST), offers, reactor);
  private final FrameHandler frames = new FrameHandler(accepted, offers, translated, links, nudger);

  /** Each nonsensical descriptor is worth a line, but not thousands of them. */
  private final Logger log = Logger.getLogger("org.slipstream.offers");

  private FakeSession session;

  @FuzzTest
  void anyFramesAreIgnoredOrAnIoException() throws Exception {
    Level usual = log.getLevel();
    log.setLevel(Level.OFF);
    try (FakeProcess process = new FakeProcess()) {
      FakeSession honest = new FakeSession("honest");
      FakeProcess.Connection others = process.connection();
      accepted.add(others.tuple(), others.server());
      frames.received(honest, offer(others.tuple()));
      StreamLink otherLink = others.server().link();

      Fuzzer.hex("frames")
          .allocating(16 << 20)
          .reaching(
              "our offer accepted",
              "our offer refused",
              "our offer withdrawn",
              "his offer accepted",
              "his offer refused",
              "his offer waits",
              "closed",
              "revoked",
              "dismissed")
          .run((input, trace) -> {
            take(input, trace);
            assertThat(otherLink.isDead() || otherLink.isPeerClosed()).isFalse();
            assertThat(others.server().reason()).isEqualTo(Reason.NONE);
            assertThat(new int[] {links.size(), offers.size(), accepted.waitingOffers()})
                .as("links, offers, offers that wait")
                .containsExactly(1, 0, 0);
          });
    } finally {
      log.setLevel(usual);
    }
  }

  private static ByteBuffer offer(Tuple tuple) {
    ByteBuffer frame = Frame.allocate(Frame.OFFER, 1);
    tuple.put(frame);
    return frame.putLong(0).flip();
  }

  private void take(byte[] input, Trace trace) throws Exception {
    session = new FakeSession("hostile");
    endpoint.announcers.clear();
    endpoint.announcers.add(session);
    session.onOneKernel();
    try (FakeProcess process = new FakeProcess()) {
      take(process, input, trace);
    }
  }

  private void take(FakeProcess process, byte[] input, Trace trace) throws IOException {
    FakeProcess.Connection connection = process.connection();
    Stream client = connection.client();
    Stream server = connection.server();
    long zero = links.newId() + 1;
    offers.offer(client);
    accepted.add(connection.tuple(), server);
    try {
      ByteBuffer in = ByteBuffer.wrap(input);
      while (in.hasRemaining()) {
        int length = Math.min(Byte.toUnsignedInt(in.get()), in.remaining());
        byte[] frame = new byte[length];
        in.get(frame);
        if (frame.length > 0 && frame[0] == 0x7F) {
          client.close(false); // no frame has this type: the program closes
          offers.withdraw(client);
          look(client, server, trace);
          continue;
        }
        frames.received(session, prepared(frame, zero, connection.tuple()));
        reactor.run();
        look(client, server, trace);
      }
    } catch (IOException e) {
      assertThat(e.getMessage()).isNotBlank();
      trace.refused(e.getMessage());
    }
    accepted.remove(connection.tuple(), server);
    session.close();
    frames.sessionLost(session);
    reactor.run();
    server.close(false);
    if (client.isOpen()) {
      // No port may stay busy for a minute: there are thousands of connections in a second.
      client.tcp().setOption(StandardSocketOptions.SO_LINGER, 0);
      client.close(false);
    }
    reactor.run();
    for (HeapWindow window : session.windows()) {
      assertThat(window.freed() + window.quarantined()).as("times given back").isEqualTo(1);
    }
  }

  private static ByteBuffer prepared(byte[] frame, long zero, Tuple tuple) {
    ByteBuffer b = ByteBuffer.wrap(frame);
    if (frame.length >= TUPLE_AT) {
      b.putLong(1, b.getLong(1) + zero);
    }
    int at = TUPLE_AT + (frame.length > 0 && frame[0] == Frame.CLAIM ? Integer.BYTES : 0);
    if (frame.length >= at + Tuple.BYTES && b.getInt(at) == HERE) {
      tuple.put(b.duplicate().position(at));
    }
    return b;
  }

  private void look(Stream client, Stream server, Trace trace) {
    if (client.link() != null) {
      trace.reached("our offer accepted");
    } else if (client.reason() == Reason.REFUSED || client.reason() == Reason.NO_MEMORY) {
      trace.reached("our offer refused");
    }
    for (Stream stream : Arrays.asList(client, server)) {
      StreamLink link = stream.link();
      if (link != null && link.isPeerClosed()) {
        trace.reached("closed");
      }
      if (stream.status().reason() == Reason.REVOKED) {
        trace.reached("revoked");
      }
    }
    for (ByteBuffer sent : session.sent()) {
      switch (sent.get(0)) {
        case Frame.ACCEPT -> trace.reached("his offer accepted");
        case Frame.REFUSE -> trace.reached("his offer refused");
        case Frame.WITHDRAW -> trace.reached("our offer withdrawn");
        case Frame.CLOSED -> trace.reached("dismissed");
        default -> {}
      }
    }
    if (accepted.waitingOffers() > 0) {
      trace.reached("his offer waits");
    }
  }
}
