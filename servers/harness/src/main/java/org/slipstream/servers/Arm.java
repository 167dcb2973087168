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
  NTB("ntb", "Slipstream over NTB"),
  /** Slipstream, over a device of RDMA, whose address all servers have: {@link Guest}. */
  RDMA("rdma", "Slipstream over RDMA"),
  /** TCP, and each JVM of a job starts from an AOT cache. */
  TCP_CACHED("tcp-aot", "TCP, AOT cache"),
  /** Slipstream over shared memory, and each JVM of a job starts from an AOT cache. */
  SHM_CACHED("shm-aot", "Slipstream, AOT cache");

  /** What most programs have: the JDK's sockets, whatever their makers chose. */
  public static final List<Arm> TWO = List.of(TCP, SHM);

  /** Of programs that pass the JDK's sockets by unless they are told to use them. */
  public static final List<Arm> THREE = List.of(SHIPPED, TCP, SHM);

  /** Of jobs that are new JVMs each time, whose start may come from a cache. */
  public static final List<Arm> CACHED = List.of(TCP, SHM, TCP_CACHED, SHM_CACHED);

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
    return this == SHM || this == NTB || this == RDMA || this == SHM_CACHED;
  }

  /**
   * Whether its jobs start from an AOT cache, which is made before the first turn.
   *
   * @return whether the load has to make one
   */
  public boolean isCached() {
    return this == TCP_CACHED || this == SHM_CACHED;
  }

  /** Whether a table compares the two: the other one differs in what carries the bytes only. */
  boolean isBeside(Arm stock) {
    return isAccelerated() && !stock.isAccelerated() && isCached() == stock.isCached();
  }

  /** What a table says behind the name of a load, so that its lines can be told apart. */
  String suffix() {
    return switch (this) {
      case NTB -> ", over NTB";
      case RDMA -> ", over RDMA";
      case SHM_CACHED -> ", with an AOT cache";
      default -> "";
    };
  }

  /** Its name in rows of JSON. */
  String carrier() {
    return carrier;
  }

  /** Its name in tables. */
  String title() {
    return title;
  }

  /** With the arm that the property {@code slipstream.servers.ntb} asks for; others in a guest. */
  static List<Arm> wanted(List<Arm> arms, Scenario scenario) {
    if (Guest.isHere()) {
      return List.of(TCP, RDMA);
    }
    List<Arm> all = new ArrayList<>(arms);
    if (WITH_NTB && scenario.isForNodes()) {
      all.add(NTB);
    }
    return all;
  }
}
