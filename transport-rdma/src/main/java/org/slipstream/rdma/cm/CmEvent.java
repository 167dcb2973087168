package org.slipstream.rdma.cm;

/**
 * What rdma_cm has to say about an identifier.
 *
 * @param type what happened
 * @param id the address of the identifier
 * @param status 0, or an errno value, negative; or the reason of a rejection
 * @param privateData what the peer said with it: hostile input
 */
@SuppressWarnings("ArrayRecordComponent") // made once, and read by no other object
public record CmEvent(Type type, long id, int status, byte[] privateData) {

  /** In the order of {@code enum rdma_cm_event_type}. */
  public enum Type {
    ADDRESS_RESOLVED,
    ADDRESS_ERROR,
    ROUTE_RESOLVED,
    ROUTE_ERROR,
    CONNECT_REQUEST,
    CONNECT_RESPONSE,
    CONNECT_ERROR,
    UNREACHABLE,
    REJECTED,
    ESTABLISHED,
    DISCONNECTED,
    DEVICE_REMOVAL,
    MULTICAST_JOIN,
    MULTICAST_ERROR,
    ADDRESS_CHANGE,
    TIMEWAIT_EXIT,
    /** A library newer than this class. */
    UNKNOWN;

    private static final Type[] ALL = values();

    static Type of(int number) {
      return number >= 0 && number < ALL.length ? ALL[number] : UNKNOWN;
    }
  }

  @Override
  public String toString() {
    return type + " " + status;
  }
}
