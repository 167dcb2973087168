package org.slipstream.benchmarks.driver;

import java.util.List;
import java.util.Locale;

/** What carries the bytes of a row. */
public enum Carrier {
  /** The programs on the stock JDK. */
  TCP,
  /** The same programs with Slipstream switched on from outside. */
  SHM,
  /** As {@link #SHM}, but over NTB windows, between two nodes of the loopback SISCI library. */
  NTB,
  /** As {@link #SHM}, but without memory for rings: what Slipstream costs a stream on TCP. */
  PLAIN,
  /** A bare ring over a mapped file: the limit. */
  RAW,
  /** Netty's native transport. */
  NETTY_EPOLL,
  /** Netty's native transport, never asleep. */
  NETTY_EPOLL_BUSY,
  /** Netty NIO on the stock JDK. */
  NETTY_NIO,
  /** Netty NIO with Slipstream switched on from outside. */
  NETTY_NIO_SHM,
  /** Netty over our own transport. */
  NETTY_SHM,
  /** As {@link #TCP}, in a virtual machine: what {@link #GUEST_RDMA} is compared with. */
  GUEST_TCP,
  /** As {@link #SHM}, but over queue pairs of software RDMA in a virtual machine. */
  GUEST_RDMA;

  /** The rows of a comparison of Netty's transports. */
  public static final List<Carrier> NETTY =
      List.of(NETTY_EPOLL, NETTY_EPOLL_BUSY, NETTY_NIO, NETTY_NIO_SHM, NETTY_SHM);

  /** Returns the name that the command line and the reports use. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns whether the programs are those over Netty. */
  public boolean isNetty() {
    return NETTY.contains(this);
  }

  /** Returns whether the programs run in a virtual machine. */
  public boolean isInGuest() {
    return this == GUEST_TCP || this == GUEST_RDMA;
  }

  /** Returns whether the bytes have to leave TCP. */
  public boolean isAccelerated() {
    return switch (this) {
      case SHM, NTB, NETTY_NIO_SHM, NETTY_SHM, GUEST_RDMA -> true;
      default -> false;
    };
  }

  /** Returns whether Slipstream is switched on from outside. */
  public boolean usesAgent() {
    return isAccelerated() || this == PLAIN;
  }

  /** Returns which of Netty's transports the programs use. */
  String nettyTransport() {
    return switch (this) {
      case NETTY_EPOLL -> "epoll";
      case NETTY_EPOLL_BUSY -> "epoll-busy";
      case NETTY_SHM -> "slipstream";
      default -> "nio";
    };
  }

  /** Returns the carrier of that name, whatever its case. */
  public static Carrier of(String name) {
    for (Carrier carrier : values()) {
      if (carrier.label().equalsIgnoreCase(name) && !carrier.isInGuest()) {
        return carrier;
      }
    }
    throw new IllegalArgumentException(
        "'" + name + "' is not a carrier (use tcp, shm, ntb, plain or raw)");
  }
}
