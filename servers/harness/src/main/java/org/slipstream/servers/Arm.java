package org.slipstream.servers;

import java.util.ArrayList;
import java.util.List;

/** What a run's processes talk over. */
public enum Arm {
  /** TCP as the program's makers ship it, which may be a transport of native code. */
  SHIPPED("shipped", "as shipped"),
  /** TCP through the JDK's own sockets. */
  TCP("tcp", "TCP"),
  /** Slipstream, over shared memory. */
  SHM("shm", "Slipstream"),
  /**
   * Slipstream, between two nodes of the loopback SISCI library: servers on one, clients on the
   * other.
   */
  NTB("ntb", "Slipstream over NTB");

  /** What most programs have: the JDK's sockets, whatever their makers chose. */
  public static final List<Arm> TWO = List.of(TCP, SHM);

  /** Of programs that pass the JDK's sockets by unless they are told to use them. */
  public static final List<Arm> THREE = List.of(SHIPPED, TCP, SHM);

  /** Measured too, where two are: the property {@code slipstream.servers.ntb}. */
  private static final boolean WITH_NTB = Boolean.getBoolean("slipstream.servers.ntb");

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
    return this == SHM || this == NTB;
  }

  /** Its name in rows of JSON. */
  String carrier() {
    return carrier;
  }

  /** Its name in tables. */
  String title() {
    return title;
  }

  /** With the arm that a property asks for. */
  static List<Arm> wanted(List<Arm> arms) {
    List<Arm> all = new ArrayList<>(arms);
    if (WITH_NTB) {
      all.add(NTB);
    }
    return all;
  }
}
