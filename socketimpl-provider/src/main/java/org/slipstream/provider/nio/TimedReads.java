package org.slipstream.provider.nio;

import java.io.IOException;
import java.nio.ByteBuffer;

/** What the input stream of a channel's socket view needs beside the channel. Any thread. */
interface TimedReads {

  /**
   * As a read of the channel.
   *
   * @param deadline {@link System#nanoTime} at which a blocking read gives up; 0 = never
   */
  int readUntil(ByteBuffer dst, long deadline) throws IOException;

  /** The program's SO_TIMEOUT; 0 = none. */
  int timeoutMillis();

  /** How many bytes a read would return at once, at least. */
  int available() throws IOException;
}
