package org.slipstream.transport;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A way to move bytes between two processes past the kernel's TCP stack; found by {@link
 * java.util.ServiceLoader}.
 *
 * <p>A backend moves bytes and nothing else. It knows no sockets, no streams and no Java channel
 * semantics; those live once, in the core.
 */
public interface Transport {

  /**
   * The short name that users see: {@code shm}, {@code rdma}, {@code ntb}.
   *
   * @return the name
   */
  String name();

  /**
   * Whether it can be used here. Cheap, never throws.
   *
   * @return the answer with its reason
   */
  Availability availability();

  /**
   * What is set for it and can not be used: an operator wanted it, and is told when a process
   * starts without it. A device or library that is missing is no mistake. Cheap, never throws;
   * asked if it is not {@linkplain #availability available}.
   *
   * @return one sentence with what to do; null if nothing is set, or all that is set can be used
   */
  default @Nullable String mistake() {
    return null;
  }

  /**
   * Opens it although it is not {@linkplain #availability available}, to tell peers that this
   * process would use it and why it can not: without that, they take it for a process that does not
   * run Slipstream. The endpoint announces addresses, and makes and takes no session.
   *
   * @param host this process
   * @return null if peers need not be told, which is most often
   * @throws IOException it can not be opened even for that
   */
  default @Nullable Endpoint openToRefuse(TransportHost host) throws IOException {
    return null;
  }

  /**
   * The devices of this machine that it knows, whether or not they can be used: for operators.
   * Cheap, never throws.
   *
   * @return a line for each port or window
   */
  default List<String> devices() {
    return List.of();
  }

  /**
   * Tries it: exchanges something with itself, where that can be done. May take seconds; never
   * throws. For operators.
   *
   * @param settings as processes would have them
   * @return what came of it; {@link #availability} for a transport that has nothing to try
   */
  default Availability probe(TransportSettings settings) {
    return availability();
  }

  /**
   * Whether tools of the same user find a process by this transport ({@code slipstream ps}), so
   * that it is opened for them although the settings do not name it. It must not cost anything then
   * before {@link Endpoint#beVisible}.
   *
   * @return false unless it is
   */
  default boolean showsProcess() {
    return false;
  }

  /**
   * Whether its endpoints are {@link MemoryEndpoint}s.
   *
   * @return false unless they are
   */
  default boolean sharesMemory() {
    return false;
  }

  /**
   * Whether it can share memory on this machine, with these settings. Cheap.
   *
   * @return as {@link #availability}, or what memory needs beyond that
   */
  default Availability memoryAvailability() {
    return availability();
  }

  /**
   * Makes this process present on the transport.
   *
   * @param host what the process offers to the backend
   * @return the presence; closed when the process leaves
   * @throws IOException if that fails; the message says what to do
   */
  Endpoint open(TransportHost host) throws IOException;
}
