package org.slipstream.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slipstream.provider.net.SocketFactories;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.JdkAccess;

/**
 * {@code -javaagent:slipstream.jar}: one flag that switches Slipstream on, by way of {@link
 * org.slipstream.agent.launch.AgentLauncher}. It opens the JDK's own socket packages to us alone
 * when they are first needed ({@link JdkGate}; a documented use of {@link
 * Instrumentation#redefineModule}) and names our providers and socket factories. Two setters of
 * {@code java.net} are transformed, so that the program's own factories go before ours ({@link
 * FactoryGuard}); when our core starts, three methods that move files, so that {@code sendfile}
 * stays what it was ({@link FileSeams}).
 *
 * <p>Whatever fails leaves the program on plain sockets, with one line on standard error.
 */
public final class SlipstreamAgent {
  private static final String PROVIDER_PROPERTY = "java.nio.channels.spi.SelectorProvider";
  private static final String ASYNCHRONOUS_PROPERTY =
      "java.nio.channels.spi.AsynchronousChannelProvider";

  // By name: to name the classes would load them.
  private static final String PROVIDER = "org.slipstream.provider.nio.SlipstreamSelectorProvider";
  private static final String ASYNCHRONOUS_PROVIDER =
      "org.slipstream.provider.async.SlipstreamAsynchronousChannelProvider";

  private static final String GATE = "org.slipstream.agent.JdkGate";

  private SlipstreamAgent() {}

  /**
   * Called once, before {@code main}, where Java is new enough and Slipstream is not switched off.
   *
   * @param arguments of the agent; they are system properties by now
   * @param instrumentation opens the package
   */
  public static void install(@Nullable String arguments, Instrumentation instrumentation) {
    try {
      JdkAccess.through(new OpenedWhenAsked(instrumentation));
      String configured = System.getProperty(PROVIDER_PROPERTY);
      if (configured == null) {
        System.setProperty(PROVIDER_PROPERTY, PROVIDER);
      } else if (!configured.equals(PROVIDER)) {
        off("the program uses the provider " + configured);
      }
      if (System.getProperty(ASYNCHRONOUS_PROPERTY) == null) {
        System.setProperty(ASYNCHRONOUS_PROPERTY, ASYNCHRONOUS_PROVIDER);
      }
      FactoryGuard.install(instrumentation); // first: while it loads the classes that it changes
      SocketFactories.install();
      Installation.whenStarted(new WhenStarted(instrumentation));
    } catch (IOException | UnmodifiableClassException | RuntimeException | LinkageError e) {
      off(String.valueOf(e.getMessage()));
    }
  }

  /** A class and no lambda, of which the first of a process costs milliseconds. */
  private record WhenStarted(Instrumentation instrumentation) implements Runnable {
    @Override
    public void run() {
      FileSeams.installSoon(instrumentation);
    }
  }

  /**
   * Opens the JDK's socket packages when the first socket needs them: that takes milliseconds,
   * which a program without sockets keeps.
   */
  private static final class OpenedWhenAsked implements Function<Class<?>, MethodHandles.Lookup> {
    /** Opened only to a process that links functions. */
    private static final String LINKER = "jdk.internal.foreign.abi";

    private final Instrumentation instrumentation;

    /** Written once, under the lock of this object. */
    private volatile @Nullable Function<Class<?>, MethodHandles.Lookup> gate;

    OpenedWhenAsked(Instrumentation instrumentation) {
      this.instrumentation = instrumentation;
    }

    @Override
    public MethodHandles.Lookup apply(Class<?> type) {
      Function<Class<?>, MethodHandles.Lookup> opened = gate;
      if (opened == null) {
        opened = open();
      }
      if (type.getPackageName().equals(LINKER)) {
        open(Map.of(LINKER, Set.of(opened.getClass().getModule())));
      }
      return opened.apply(type);
    }

    private synchronized Function<Class<?>, MethodHandles.Lookup> open() {
      Function<Class<?>, MethodHandles.Lookup> opened = gate;
      if (opened == null) {
        try {
          opened = JdkGate.load(Bytecode.of(GATE, instrumentation));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        Set<Module> us = Set.of(opened.getClass().getModule());
        open(Map.of(Installation.jdkPackage(), us, "java.net", us));
        gate = opened;
      }
      return opened;
    }

    private void open(Map<String, Set<Module>> packages) {
      instrumentation.redefineModule(
          Object.class.getModule(), Set.of(), Map.of(), packages, Set.of(), Map.of());
    }
  }

  private static void off(String why) {
    System.err.println("Slipstream is off, sockets stay plain TCP: " + why);
  }
}
