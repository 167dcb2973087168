package org.slipstream.ntb.sisci;

import org.jspecify.annotations.Nullable;

/** What happened to a segment, or to the connection to one. */
public enum SegmentEvent {
  /** A peer has connected. */
  CONNECT,
  /** A peer, or the owner, has gone or wants the connection to end. */
  DISCONNECT,
  /** The link is down; it may come back. */
  NOT_OPERATIONAL,
  /** The link is up again. */
  OPERATIONAL,
  /** The connection is over; the map is useless. */
  LOST;

  private static final SegmentEvent[] ALL = values();

  /** By the library's number, which starts at 1. */
  static @Nullable SegmentEvent of(int number) {
    return number >= 1 && number <= ALL.length ? ALL[number - 1] : null;
  }
}
