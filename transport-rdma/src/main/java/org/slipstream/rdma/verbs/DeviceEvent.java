package org.slipstream.rdma.verbs;

/**
 * What a device says of itself.
 *
 * @param type what happened
 * @param port of which port, where the event is about a port
 */
public record DeviceEvent(Type type, int port) {

  /** Kinds of events, as far as they matter here. */
  public enum Type {
    /** The port can be used again. */
    PORT_ACTIVE(9),
    /** The port can not be used: its link is down. */
    PORT_ERROR(10),
    /** An address of a port is another one. */
    ADDRESS_CHANGE(18),
    /** The device is broken, or on its way out. */
    DEVICE_FATAL(8),
    /** Not said by the device: this process does not hear of completions any more. */
    UNHEARD(-2),
    /** What a completion or rdma_cm says too, or nothing that matters. */
    OTHER(-1);

    final int number;

    Type(int number) {
      this.number = number;
    }

    static Type of(int number) {
      for (Type type : values()) {
        if (type.number == number) {
          return type;
        }
      }
      return OTHER;
    }
  }
}
