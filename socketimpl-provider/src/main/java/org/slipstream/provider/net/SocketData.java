package org.slipstream.provider.net;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A socket as its two streams see it. Any thread. */
interface SocketData {

  /** Reads some bytes, or -1. */
  int read(ByteBuffer dst) throws IOException;

  /** Writes all. */
  void write(ByteBuffer src) throws IOException;

  /** How many bytes a read would return at once, at least. */
  int available() throws IOException;

  /** Closes the socket. */
  void close() throws IOException;
}
