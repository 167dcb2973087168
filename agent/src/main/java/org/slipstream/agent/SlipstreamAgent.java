package org.slipstream.agent;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.config.HostSettings;
import org.slipstream.core.config.SlipstreamConfig;
import org.slipstream.provider.net.SocketFactories;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.JdkAccess;
import org.slipstream.transport.MessageCode;
import org.slipstream.transport.Platform;

/**
 * {@code -javaagent:slipstream.jar}: one flag that switches Slipstream on, by way of {@link
 * org.slipstream.agent.launch.AgentLauncher}. It opens the JDK's own socket packages to us alone
 * when they are first needed ({@link OpenedPackages}; a documented use of {@link
 * Instrumentation#redefineModule}) and names our providers and socket factories. Two setters of
 * {@code java.net} are transformed, so that the program's own factories go before ours ({@link
 * FactoryGuard}); when our core starts, three methods that move files, so that {@code sendfile}
 * stays what it was ({@link FileSeams}).
 *
 * <p>Whatever fails leaves the program on plain sockets, with one line on standard error; so does a
 * {@linkplain Platform platform} that is not known, where nothing of the above is done.
 */
public final class SlipstreamAgent {
  static final String PROVIDER_PROPERTY = "java.nio.channels.spi.SelectorProvider";
  static final String ASYNCHRONOUS_PROPERTY = "java.nio.channels.spi.AsynchronousChannelProvider";

  // By name: to name the classes would load them.
  static final String PROVIDER = "org.slipstream.provider.nio.SlipstreamSelectorProvider";
  static final String ASYNCHRONOUS_PROVIDER =
      "org.slipstream.provider.async.SlipstreamAsynchronousChannelProvider";

  private SlipstreamAgent() {}

  /**
   * Called once, before {@code main}, where Java is new enough and Slipstream is not switched off.
   *
   * @param arguments of the agent; they are system properties by now
   * @param instrumentation opens the package
   */
  public static void install(@Nullable String arguments, Instrumentation instrumentation) {
    String objection = Platform.here().objection();
    if (objection != null) {
      System.err.println(MessageCode.PLATFORM.line(objection + ": connections stay on TCP"));
      return;
    }
    try {
      HostSettings.apply();
      if ("false".equals(System.getProperty(SlipstreamConfig.ENABLED))) {
        return; // by the settings of the host
      }
      if (SlipstreamAgent.class.getClassLoader() != null) {
        System.err.println(
            MessageCode.SLOW_START.line(
                "the agent is not on the boot class path, and costs the start of the program twice"
                    + " as much: its file has to be called slipstream.jar"));
      }
      OpenedPackages packages = new OpenedPackages(instrumentation);
      JdkAccess.through(packages);
      String configured = System.getProperty(PROVIDER_PROPERTY);
      if (configured == null) {
        System.setProperty(PROVIDER_PROPERTY, PROVIDER);
      } else if (!configured.equals(PROVIDER)) {
        off("the program uses the provider " + configured);
      }
      if (System.getProperty(ASYNCHRONOUS_PROPERTY) == null) {
        System.setProperty(ASYNCHRONOUS_PROPERTY, ASYNCHRONOUS_PROVIDER);
      }
      takeNioOfNetty();
      FactoryGuard.install(instrumentation); // first: while it loads the classes that it changes
      SocketFactories.install();
      Installation.transports(new BroughtTransports());
      Installation.whenStarted(new WhenStarted(instrumentation));
      packages.prepare();
    } catch (IOException | UnmodifiableClassException | RuntimeException | LinkageError e) {
      off(String.valueOf(e.getMessage()));
    }
  }

  /** Netty reads these when it is asked for a native transport: its own, and gRPC's copy's. */
  private static void takeNioOfNetty() {
    if ("nio".equals(System.getProperty("slipstream.netty"))) {
      setUnlessSet("io.netty.transport.noNative");
      setUnlessSet("io.grpc.netty.shaded.io.netty.transport.noNative");
    }
  }

  private static void setUnlessSet(String property) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, "true");
    }
  }

  /** A class and no lambda, of which the first of a process costs milliseconds. */
  record WhenStarted(Instrumentation instrumentation) implements Runnable {
    @Override
    public void run() {
      FileSeams.installSoon(instrumentation);
      Installation.whenSelectorNeverUsed(new NativeTransportWatch(instrumentation));
    }
  }

  private static void off(String why) {
    System.err.println(MessageCode.OFF.line("Slipstream is off, sockets stay plain TCP: " + why));
  }
}
