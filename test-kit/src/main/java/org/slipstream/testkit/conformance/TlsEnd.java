package org.slipstream.testkit.conformance;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import org.slipstream.testkit.Bytes;

/**
 * One end of a TLS connection over any channel whose reads wait for data. For one thread at a time.
 */
final class TlsEnd implements Closeable {

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SSLEngine engine;
  private final ByteChannel channel;
  private final ByteBuffer received;
  private final ByteBuffer toSend;
  private final ByteBuffer plain;

  TlsEnd(SSLEngine engine, ByteChannel channel) {
    this.engine = engine;
    this.channel = channel;
    int packet = engine.getSession().getPacketBufferSize();
    this.received = ByteBuffer.allocateDirect(2 * packet);
    this.toSend = ByteBuffer.allocateDirect(2 * packet);
    this.plain = ByteBuffer.allocate(2 * engine.getSession().getApplicationBufferSize()).flip();
  }

  void handshake() throws IOException {
    engine.beginHandshake();
    HandshakeStatus status = engine.getHandshakeStatus();
    while (status != HandshakeStatus.FINISHED && status != HandshakeStatus.NOT_HANDSHAKING) {
      status =
          switch (status) {
            case NEED_WRAP -> wrap(NOTHING).getHandshakeStatus();
            case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> unwrap().getHandshakeStatus();
            default -> runTasks();
          };
    }
  }

  void write(ByteBuffer source) throws IOException {
    while (source.hasRemaining()) {
      wrap(source);
    }
  }

  /** Reads something, or returns -1 once the other end has said goodbye. */
  int read(ByteBuffer target) throws IOException {
    while (!plain.hasRemaining()) {
      SSLEngineResult result = unwrap();
      if (result.getStatus() == Status.CLOSED) {
        return -1;
      }
      if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
        runTasks();
      }
    }
    int n = Math.min(plain.remaining(), target.remaining());
    target.put(plain.slice(plain.position(), n));
    plain.position(plain.position() + n);
    return n;
  }

  /** Says goodbye. */
  @Override
  public void close() throws IOException {
    engine.closeOutbound();
    while (!engine.isOutboundDone()) {
      wrap(NOTHING);
    }
  }

  private SSLEngineResult wrap(ByteBuffer source) throws IOException {
    SSLEngineResult result = engine.wrap(source, toSend.clear());
    Bytes.write(channel, toSend.flip());
    return result;
  }

  private SSLEngineResult unwrap() throws IOException {
    while (true) {
      plain.compact();
      SSLEngineResult result = engine.unwrap(received.flip(), plain);
      received.compact();
      plain.flip();
      if (result.getStatus() != Status.BUFFER_UNDERFLOW) {
        return result;
      }
      if (channel.read(received) < 0) {
        throw new EOFException("The stream ended in the middle of a TLS record");
      }
    }
  }

  private HandshakeStatus runTasks() {
    for (Runnable task = engine.getDelegatedTask();
        task != null;
        task = engine.getDelegatedTask()) {
      task.run();
    }
    return engine.getHandshakeStatus();
  }
}
