package org.slipstream.testkit.transport;

import org.slipstream.transport.Link;
import org.slipstream.transport.Window;

/**
 * Both ends of a link.
 *
 * @param a the one
 * @param b the other
 */
public record LinkPair(End a, End b) {

  /**
   * One end.
   *
   * @param link what it writes and reads
   * @param window the window that it reads
   */
  public record End(Link link, Window window) {}
}
