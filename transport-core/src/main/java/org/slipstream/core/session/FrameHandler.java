package org.slipstream.core.session;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slipstream.core.stream.Stream;
import org.slipstream.transport.Session;

/** Takes frames of peers apart: hostile input. Reactor only. */
final class FrameHandler {
  private final AcceptedStreams accepted;
  private final Offers offers;
  private final TranslatedStreams translated;
  private final LinkTable links;
  private final Nudger nudger;

  FrameHandler(
      AcceptedStreams accepted,
      Offers offers,
      TranslatedStreams translated,
      LinkTable links,
      Nudger nudger) {
    this.accepted = accepted;
    this.offers = offers;
    this.translated = translated;
    this.links = links;
    this.nudger = nudger;
  }

  /**
   * Does what a frame says.
   *
   * @throws IOException the frame is nonsense, and the session should end
   */
  void received(Session session, ByteBuffer frame) throws IOException {
    Frame.require(frame, 1 + Long.BYTES);
    byte type = frame.get();
    long id = frame.getLong();
    switch (type) {
      case Frame.OFFER -> accepted.offered(session, id, frame);
      case Frame.ACCEPT -> offers.accepted(session, id, frame);
      case Frame.REFUSE -> {
        Frame.require(frame, 1);
        offers.refused(session, id, frame.get());
      }
      case Frame.WITHDRAW -> accepted.withdrawn(session, id);
      case Frame.CLOSED -> {
        if (!offers.closedThere(session, id)) {
          links.closedThere(id, session);
        }
      }
      case Frame.CREDIT -> links.credit(id, session);
      case Frame.REVOKE -> {
        Stream stream = links.revoke(id, session);
        if (stream != null) {
          nudger.nudge(stream);
        }
      }
      case Frame.PROBE -> offers.probe(session, id, frame);
      case Frame.PROVEN -> accepted.proven(session, id);
      case Frame.LOOK -> links.look(id, session);
      case Frame.SEEK -> accepted.sought(requireOneKernel(session), id, frame);
      case Frame.FOUND -> translated.found(requireOneKernel(session), id, frame);
      case Frame.CLAIM -> accepted.claimed(requireOneKernel(session), id, frame);
      default -> throw new IOException("Unknown frame type " + type);
    }
  }

  /** Between hosts a session speaks for addresses, and these frames would go round that. */
  private static Session requireOneKernel(Session session) throws IOException {
    if (!session.isOneKernel()) {
      throw new IOException("A connection is named on a session between hosts");
    }
    return session;
  }

  /** A peer process lives: streams that lost their links to it can be taken back to TCP. */
  void sessionOpened(Session session) {
    links.sessionOpened(session).forEach(nudger::nudge);
  }

  /** No more frames of the session will come. */
  void sessionLost(Session session) {
    offers.sessionLost(session);
    accepted.sessionLost(session);
    links.sessionLost(session);
  }
}
