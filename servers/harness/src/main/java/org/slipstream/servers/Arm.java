package org.slipstream.servers;

import java.util.List;

/** What a run's processes talk over. */
public enum Arm {
  /** TCP as the program's makers ship it, which may be a transport of native code. */
  SHIPPED("shipped", "as shipped"),
  /** TCP through the JDK's own sockets. */
  TCP("tcp", "TCP"),
  /** Slipstream, over shared memory. */
  SHM("shm", "Slipstream");

  /** What most programs have: the JDK's sockets, whatever their makers chose. */
  public static final List<Arm> TWO = List.of(TCP, SHM);

  /** Of programs that pass the JDK's sockets by unless they are told to use them. */
  public static final List<Arm> THREE = List.of(SHIPPED, TCP, SHM);

  private final String carrier;
  private final String title;

  Arm(String carrier, String title) {
    this.carrier = carrier;
    this.title = title;
  }

  /**
   * Whether its processes run Slipstream.
   *
   * @return whether they have the agent
   */
  public boolean isAccelerated() {
    return this == SHM;
  }

  /** Its name in rows of JSON. */
  String carrier() {
    return carrier;
  }

  /** Its name in tables. */
  String title() {
    return title;
  }
}
