package org.slipstream.agent;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import org.slipstream.provider.async.SlipstreamAsynchronousChannelProvider;
import org.slipstream.provider.net.SocketFactories;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.JdkAccess;
import org.slipstream.provider.nio.SlipstreamSelectorProvider;
import org.slipstream.transport.Platform;

/**
 * {@code slipstream attach}: as {@link SlipstreamAgent}, but the program runs already. Sockets and
 * channels that it makes from now on are ours; those that it has stay as they are.
 *
 * <p>The JDK asks for the provider of channels once. Where the program has used one before, its
 * channels stay on TCP: ours could be put in its place by changing the JDK's method, but the
 * program's selectors are the JDK's, and refuse channels of ours.
 */
public final class Attachment {
  /** New ones are ours. */
  static final String ON = "on";

  /** The program has used the JDK's, or its own. */
  static final String IN_USE = "in-use";

  private Attachment() {}

  /**
   * Called once, on the thread of the JVM that loads agents.
   *
   * @param instrumentation opens packages and changes classes
   * @return for each API {@code name=on} or {@code name=in-use}, separated by blanks; or one
   *     sentence, if nothing could be done
   */
  public static String install(Instrumentation instrumentation) {
    String objection = Platform.here().objection();
    if (objection != null) {
      return objection;
    }
    try {
      JdkAccess.through(new OpenedPackages(instrumentation));
      Installation.transports(new BroughtTransports());
      Installation.whenStarted(new SlipstreamAgent.WhenStarted(instrumentation));
      Installation.jdkAsynchronous(); // fails here, and not in the program's next socket
      boolean channels =
          named(SlipstreamAgent.PROVIDER_PROPERTY, SlipstreamAgent.PROVIDER, Attachment::channels);
      boolean asynchronous =
          named(
              SlipstreamAgent.ASYNCHRONOUS_PROPERTY,
              SlipstreamAgent.ASYNCHRONOUS_PROVIDER,
              Attachment::asynchronous);
      Installation started = Installation.get();
      if (!started.isOn()) {
        Throwable failure = started.failure();
        return "it can not be started there: "
            + (failure == null ? "it is switched off" : failure.getMessage());
      }
      FactoryGuard.installLate(instrumentation); // first: no socket of ours without it
      boolean sockets = SocketFactories.install();
      started.beVisible(); // 'slipstream off' may come before a stream
      return outcome(sockets, channels, asynchronous);
    } catch (IOException | UnmodifiableClassException | RuntimeException | LinkageError e) {
      return "it can not be started there: " + e.getMessage();
    }
  }

  static String outcome(boolean sockets, boolean channels, boolean asynchronous) {
    return "sockets="
        + word(sockets)
        + " channels="
        + word(channels)
        + " asynchronous="
        + word(asynchronous);
  }

  private static String word(boolean ours) {
    return ours ? ON : IN_USE;
  }

  /** Asks the JDK for its provider, which is ours if it is asked for the first time. */
  @FunctionalInterface
  private interface Asking {
    boolean isOurs();
  }

  private static boolean named(String property, String provider, Asking asking) {
    String configured = System.getProperty(property);
    if (configured == null) {
      System.setProperty(property, provider);
    }
    boolean ours = asking.isOurs();
    if (!ours && configured == null) {
      System.clearProperty(property); // as the program had it
    }
    return ours;
  }

  private static boolean channels() {
    return SelectorProvider.provider() instanceof SlipstreamSelectorProvider;
  }

  private static boolean asynchronous() {
    return AsynchronousChannelProvider.provider() instanceof SlipstreamAsynchronousChannelProvider;
  }
}
