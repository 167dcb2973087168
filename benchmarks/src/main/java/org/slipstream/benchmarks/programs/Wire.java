package org.slipstream.benchmarks.programs;

import java.io.Closeable;
import java.io.IOException;

/**
 * One end of a conversation as the timed loops see it: one message buffer, used again and again,
 * and the two verbs. A process loads one implementation only, so the calls in the loops are direct
 * ones.
 *
 * <p>Not safe for use by several threads.
 */
public interface Wire extends Closeable {
  /** Sends the first bytes of the message buffer, all of them. */
  void send(int bytes) throws IOException;

  /** Fills the start of the message buffer with exactly so many received bytes. */
  void receive(int bytes) throws IOException;

  /** Receives at least one byte and at most so many into the start of the message buffer. */
  int receiveSome(int most) throws IOException;

  /** Stores a byte in the message buffer. */
  void put(int index, byte value);

  /** Loads a byte of the message buffer. */
  byte get(int index);

  /** Stores eight bytes in the message buffer. */
  void putLong(int index, long value);

  /** Loads eight bytes of the message buffer. */
  long getLong(int index);
}
