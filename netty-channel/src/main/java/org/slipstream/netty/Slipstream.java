package org.slipstream.netty;

import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.provider.nio.Installation;

/**
 * Whether the transport can be used, in Netty's usual form.
 *
 * <p>Where Slipstream is switched off ({@code slipstream.enabled=false}) or could not be started,
 * it is not available, but the channels of this package still work, as plain TCP: the switch must
 * not break programs that never ask.
 */
public final class Slipstream {
  private static final String NO_CORE =
      "slipstream.jar is not on the class path: netty-channel needs it beside it (or the modules"
          + " socketimpl-provider and transport-shm)";

  /** Streams without a fast path, where there is no core. */
  private static final class Plain {
    static final Installation INSTALLATION = Installation.create(new Properties(), List.of());
  }

  private Slipstream() {}

  /**
   * Whether streams of this process can leave TCP.
   *
   * @return false if they all stay plain, or if channels can not even be made
   */
  public static boolean isAvailable() {
    return unavailabilityCause() == null;
  }

  /**
   * Requires that streams of this process can leave TCP.
   *
   * @throws IllegalStateException if not, with the cause
   */
  public static void ensureAvailability() {
    Throwable cause = unavailabilityCause();
    if (cause != null) {
      throw new IllegalStateException("Slipstream is not available: " + cause.getMessage(), cause);
    }
  }

  /**
   * Why it is not available.
   *
   * @return null if it is
   */
  public static @Nullable Throwable unavailabilityCause() {
    if (!isCorePresent()) {
      return new IllegalStateException(NO_CORE);
    }
    try {
      Installation installation = Installation.get();
      if (installation.isOn()) {
        return null;
      }
      Throwable failure = installation.failure();
      return failure != null ? failure : new IllegalStateException("slipstream.enabled is false");
    } catch (RuntimeException | LinkageError e) {
      return e;
    }
  }

  private static boolean isCorePresent() {
    try {
      Class.forName(
          "org.slipstream.provider.nio.Installation", false, Slipstream.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /** The installation of this process, or a plain one. */
  static Installation installation() {
    if (!isCorePresent()) {
      throw new IllegalStateException(NO_CORE);
    }
    Installation installation = Installation.get();
    return installation.isOn() ? installation : Plain.INSTALLATION;
  }

  static SlipstreamCore core(Installation installation) {
    SlipstreamCore core = installation.unwrap(SlipstreamCore.class);
    if (core == null) {
      throw new IllegalStateException("Slipstream is off in this installation");
    }
    return core;
  }
}
