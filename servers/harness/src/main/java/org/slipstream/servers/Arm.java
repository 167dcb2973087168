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
  /** Slipstream, between nodes of the loopback SISCI library: {@link NtbNodes}. */
  NTB("ntb", "Slipstream over NTB");

  /** What most programs have: the JDK's sockets, whatever their makers chose. */
  public static final List<Arm> TWO = List.of(TCP, SHM);

  /** Of programs that pass the JDK's sockets by unless they are told to use them. */
  public static final List<Arm> THREE = List.of(SHIPPED, TCP, SHM);

  /** Measured too, where servers can be on nodes. */
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

  /** With the arm that the property {@code slipstream.servers.ntb} asks for. */
  static List<Arm> wanted(List<Arm> arms, Scenario scenario) {
    List<Arm> all = new ArrayList<>(arms);
    if (WITH_NTB && scenario.isForNodes()) {
      all.add(NTB);
    }
    return all;
  }
}
