package org.slipstream.memory;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.slipstream.transport.Session;

/** What peers say, to the one or the other side of this process. Reactor only. */
final class PeerFrames {
  private final Exports exports;
  private final Imports imports;
  private final Questions questions;

  PeerFrames(Exports exports, Imports imports, Questions questions) {
    this.exports = exports;
    this.imports = imports;
    this.questions = questions;
  }

  void received(Session session, ByteBuffer frame) throws IOException {
    if (frame.remaining() < MemoryFrame.HEADER_BYTES) {
      throw new IOException("A frame of " + frame.remaining() + " bytes says nothing");
    }
    byte kind = frame.get();
    long id = frame.getLong();
    switch (kind) {
      case MemoryFrame.MAP -> exports.map(session, id, frame);
      case MemoryFrame.MAPPED -> imports.mapped(session, id, frame);
      case MemoryFrame.REFUSED -> imports.refused(session, id, frame);
      case MemoryFrame.REVOKE -> imports.revoke(session, id);
      case MemoryFrame.UNMAPPED -> exports.unmapped(session, id);
      case MemoryFrame.ASK -> questions.ask(session, id, frame);
      case MemoryFrame.ANSWER -> questions.answered(session, id, frame);
      default -> throw new IOException("Unexpected frame of kind " + kind);
    }
  }

  /** The peer is gone, or this process leaves. */
  void lost(Session session) {
    exports.lost(session);
    imports.lost(session);
    questions.lost(session);
  }
}
