package org.slipstream.rdma;

/** {@code slipstream.rdma.rails}: what is done with further ports that join two hosts. */
enum RailUse {
  /** Nothing: one port of each host. */
  OFF("off", 1),
  /** A second one takes over when the first one fails. */
  STANDBY("standby", 2),
  /** New streams take the one that carries the fewest. */
  SPREAD("spread", RailWays.MOST);

  private final String text;
  private final int sessions;

  RailUse(String text, int sessions) {
    this.text = text;
    this.sessions = sessions;
  }

  /** As it is written in settings. */
  String text() {
    return text;
  }

  /** How many sessions join two processes at most. */
  int sessions() {
    return sessions;
  }
}
