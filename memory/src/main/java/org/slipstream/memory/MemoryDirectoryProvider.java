package org.slipstream.memory;

import java.io.IOException;

/** A kind of {@link MemoryDirectory}, found by {@link java.util.ServiceLoader}. */
public interface MemoryDirectoryProvider {

  /**
   * Names the kind.
   *
   * @return {@code zookeeper}, for example
   */
  String name();

  /**
   * Connects to the service.
   *
   * @param where it is, in its own syntax
   * @return to be closed
   * @throws IOException if it does not answer, or the address is none; the message says what to do
   * @throws InterruptedException while waiting
   */
  MemoryDirectory connect(String where) throws IOException, InterruptedException;
}
