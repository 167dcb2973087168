package org.slipstream.transport;

/**
 * The code of each sentence that Slipstream says by itself: on standard error, or as information or
 * more of a logger. Codes are never used again for something else. {@code docs/MESSAGES.md} has for
 * each what it means and what to do; a test holds the two together.
 *
 * <p>{@code AgentLauncher} and {@code CommandLauncher} write {@link #OFF}, {@link #OLD_JAVA} by
 * number, because they run on a Java that can not load this class.
 */
public enum MessageCode {
  /** The start failed: all sockets of the process stay on TCP. */
  OFF(1),
  /** Java is older than Slipstream needs. */
  OLD_JAVA(2),
  /** The system or the processor is not known. */
  PLATFORM(3),
  /** The program has a socket factory of its own. */
  SOCKET_FACTORY(4),
  /** Our socket factory can not be taken back. */
  SOCKET_FACTORY_STAYS(5),
  /** Connections of a native transport of Netty pass by. */
  NATIVE_TRANSPORT(6),
  /** A transport can not be used at the moment. */
  STAYS_ON_TCP(7),
  /** The agent is not on the boot class path. */
  SLOW_START(8),
  /** This JDK has not what our sockets need of it. */
  JDK_SOCKETS(9),
  /** A transport is not used by this process. */
  TRANSPORT_NOT_USED(10),
  /** New rules are wrong; the old ones stay. */
  RULES_REFUSED(11),
  /** The window that a peer gave can not be used. */
  WINDOW_UNUSABLE(12),
  /** The memory of a peer can not be mapped. */
  PEER_MEMORY(13),
  /** A task of the control thread failed. */
  CONTROL_TASK(14),
  /** A selector of asynchronous channels failed. */
  ASYNCHRONOUS_SELECTOR(15),
  /** A transport answers later than TCP. */
  SLOWER_THAN_TCP(16),
  /** A memory server lends what comes back no more. */
  MEMORY_SERVER(17),
  /** A message of another node is refused. */
  NTB_MESSAGE_REFUSED(20),
  /** Peers are not found over a route. */
  NTB_NOTHING_FOUND(21),
  /** Messages of other nodes do not arrive any more. */
  NTB_NO_MESSAGES(22),
  /** The DMA engine does not answer. */
  NTB_DMA_STUCK(23),
  /** RDMA is not used any more. */
  RDMA_LOST(30),
  /** The sessions on a device end. */
  RDMA_EVENTS_LOST(31),
  /** The event thread can not wait. */
  RDMA_CAN_NOT_WAIT(32),
  /** A task of the event thread failed. */
  RDMA_TASK(33),
  /** A descriptor of the event thread was closed by other code. */
  RDMA_DESCRIPTOR(34),
  /** There is no listener at an address yet. */
  RDMA_NO_LISTENER(35),
  /** There is a listener at an address now. */
  RDMA_LISTENS(36),
  /** A command can not do what it was asked for. */
  COMMAND_FAILED(40),
  /** The runtime directory can not be used. */
  NO_PROCESS_ASKED(41);

  private final int number;

  MessageCode(int number) {
    this.number = number;
  }

  /**
   * As users see it.
   *
   * @return for example {@code SL007}
   */
  public String code() {
    return number < 10 ? "SL00" + number : "SL0" + number;
  }

  /**
   * A line of standard error.
   *
   * @param sentence what happened
   * @return with the name of the product, and the code
   */
  public String line(String sentence) {
    return "slipstream: " + text(sentence);
  }

  /**
   * A message of a logger, which has a name of its own.
   *
   * @param sentence what happened
   * @return with the code
   */
  public String text(String sentence) {
    return code() + ": " + sentence;
  }
}
