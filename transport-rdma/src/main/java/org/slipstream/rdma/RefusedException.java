package org.slipstream.rdma;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.verbs.NativeCallException;
import org.slipstream.transport.Refusal;

/** A session is not made, for a reason that operators should see. */
final class RefusedException extends IOException {
  private static final long serialVersionUID = 1;

  private final Refusal why;

  RefusedException(Refusal why, String message) {
    super(message);
    this.why = why;
  }

  Refusal why() {
    return why;
  }

  /** The reason of a failure in this process; null if it has none that is worth a name. */
  static @Nullable Refusal of(Throwable failure) {
    return switch (failure) {
      case RefusedException e -> e.why;
      case HandshakeMessage.OtherVersionException _ -> Refusal.VERSION;
      case NativeCallException e when e.isNoMemory() -> Refusal.NO_MEMORY_HERE;
      case OutOfMemoryError _ -> Refusal.NO_MEMORY_HERE;
      default -> failure.getCause() == null ? null : of(failure.getCause());
    };
  }

  /** The reason that a peer gave; null if it gave none, or one of a later version. */
  static @Nullable Refusal of(HandshakeMessage refused) {
    for (Refusal each : Refusal.values()) {
      boolean said =
          switch (each) {
            case NO_MEMORY_HERE, NOT_ALLOWED_HERE, SILENT -> false;
            default -> HandshakeMessage.numberOf(each) == refused.detail();
          };
      if (said) {
        return each;
      }
    }
    return null;
  }
}
