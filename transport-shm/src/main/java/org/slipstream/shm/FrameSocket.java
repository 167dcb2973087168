package org.slipstream.shm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Messages over a non-blocking Unix-domain socket. Sending never blocks: what the socket does not
 * take is queued, and sent when it is writable. The socket is never in blocking mode, so that no
 * interrupt of a program's thread can close it for all threads.
 */
final class FrameSocket {
  /** A peer that never stops talking gets no more than so many reads in its turn. */
  private static final int MOST_ROUNDS = 64;

  private final SocketChannel channel;
  private final ReentrantLock sendLock = new ReentrantLock();

  /** Guarded by sendLock. */
  private final Deque<ByteBuffer> queue = new ArrayDeque<>();

  private volatile long queuedBytes;
  private boolean connected;

  /** Reactor only. */
  private ByteBuffer in = ByteBuffer.allocate(4 * 1024);

  private volatile @Nullable SelectionKey key;

  /** Takes whole messages. */
  interface Receiver {
    void message(byte kind, ByteBuffer body) throws IOException;
  }

  FrameSocket(SocketChannel channel) {
    this.channel = channel;
  }

  SocketChannel channel() {
    return channel;
  }

  void registered(SelectionKey k) {
    key = k;
  }

  /** From now on messages go out. */
  void connected() throws IOException {
    sendLock.lock();
    try {
      connected = true;
      flush();
    } finally {
      sendLock.unlock();
    }
  }

  long queuedBytes() {
    return queuedBytes;
  }

  void send(ByteBuffer message) throws IOException {
    sendLock.lock();
    try {
      if (connected && queue.isEmpty()) {
        channel.write(message);
      }
      if (message.hasRemaining()) {
        queue.add(message);
        queuedBytes += message.remaining();
        listenForSpace();
      }
    } finally {
      sendLock.unlock();
    }
  }

  /** The socket is writable. */
  void flush() throws IOException {
    sendLock.lock();
    try {
      ByteBuffer head;
      while (connected && (head = queue.peek()) != null) {
        queuedBytes -= channel.write(head);
        if (head.hasRemaining()) {
          break;
        }
        queue.remove();
      }
      listenForSpace();
    } finally {
      sendLock.unlock();
    }
  }

  private void listenForSpace() {
    SelectionKey k = key;
    if (k != null && k.isValid() && connected) {
      int ops = SelectionKey.OP_READ | (queue.isEmpty() ? 0 : SelectionKey.OP_WRITE);
      if (k.interestOps() != ops) {
        k.interestOps(ops);
        k.selector().wakeup();
      }
    }
  }

  /**
   * Reads what is there.
   *
   * @return false at the end of the stream
   */
  boolean receive(Receiver receiver) throws IOException {
    for (int round = 0; ; round++) {
      int n = channel.read(in);
      if (n < 0) {
        return false;
      }
      in.flip();
      while (in.remaining() >= Wire.HEADER_BYTES) {
        int length = in.getInt(in.position());
        if (length < 0 || length > Wire.MAX_BODY) {
          throw new IOException("A message of " + length + " bytes was announced");
        }
        if (in.remaining() < Wire.HEADER_BYTES + length) {
          break;
        }
        byte kind = in.get(in.position() + 4);
        ByteBuffer body = in.slice(in.position() + Wire.HEADER_BYTES, length);
        in.position(in.position() + Wire.HEADER_BYTES + length);
        receiver.message(kind, body);
      }
      in.compact();
      if (n == 0 || round == MOST_ROUNDS) { // the selector will say that there is more
        return true;
      }
    }
  }

  boolean isIdle() {
    return queue.isEmpty();
  }
}
