package org.slipstream.provider.nio;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.core.config.HostSettings;
import org.slipstream.core.config.SlipstreamConfig;
import org.slipstream.core.session.SlipstreamCore;
import org.slipstream.transport.CLibrary;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.MessageCode;
import org.slipstream.transport.Platform;
import org.slipstream.transport.Transport;

/**
 * Slipstream in this process: the JDK's provider and, unless something is wrong or it is switched
 * off, the core. Whatever fails leaves the program on plain TCP, with one line on standard error.
 */
public final class Installation {
  private static final class Holder {
    static final Installation INSTANCE = start();

    private static Installation start() {
      Iterable<Transport> brought = transports;
      Installation started =
          create(
              System.getProperties(),
              brought != null
                  ? brought
                  : SlipstreamCore.installedTransports(Installation.class.getClassLoader()),
              true);
      Runnable agent = whenStarted;
      if (agent != null && started.core() != null) {
        agent.run();
      }
      return started;
    }
  }

  /** The process ends. No subclass of a thread: the JVM would load it before main, to verify us. */
  private static final class Leaving implements Runnable {
    private @Nullable SlipstreamCore core; // guarded by this, as is over
    private boolean over;

    /** There is something to leave; from another thread, which may come too late. */
    void started(SlipstreamCore started) {
      boolean late;
      synchronized (this) {
        core = started;
        late = over;
      }
      if (late) {
        started.leave();
      }
    }

    @Override
    public void run() {
      SlipstreamCore started;
      synchronized (this) {
        over = true;
        started = core;
      }
      if (started != null) {
        started.leave();
      }
    }
  }

  /** Written by the agent, before the program runs. */
  private static volatile @Nullable Runnable whenStarted;

  /** The same. */
  private static volatile @Nullable Runnable whenSelectorNeverUsed;

  /** The same. */
  private static volatile @Nullable Iterable<Transport> transports;

  private final SelectorProvider jdk;
  private final @Nullable SlipstreamCore core;
  private final @Nullable Throwable failure;

  private Installation(
      SelectorProvider jdk, @Nullable SlipstreamCore core, @Nullable Throwable failure) {
    this.jdk = jdk;
    this.core = core;
    this.failure = failure;
  }

  /**
   * The installation of this process.
   *
   * @return made by the first call
   * @throws IllegalStateException if the JDK's own provider can not be reached
   */
  public static Installation get() {
    return Holder.INSTANCE;
  }

  /**
   * Makes another installation beside that of the process; for tests and for programs that pass a
   * provider explicitly.
   *
   * @param properties the settings
   * @param transports the backends
   * @return an installation; off, with one line on standard error, if the core can not be started
   * @throws IllegalStateException if the JDK's own provider can not be reached
   */
  public static Installation create(Properties properties, Iterable<Transport> transports) {
    return create(properties, transports, false);
  }

  /** Soon: without waiting for the transports. */
  private static Installation create(
      Properties properties, Iterable<Transport> transports, boolean soon) {
    SelectorProvider jdk = findJdk();
    try {
      if (soon) {
        HostSettings.apply(); // with the property alone no agent has done that
      }
      return new Installation(jdk, startCore(properties, transports, jdk, soon), null);
    } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
      sayOff(e); // the last: the heap is full, or the system has no more threads
      return new Installation(jdk, null, e);
    }
  }

  /** Without it no socket could be made, and the JVM would not try to make this class again. */
  private static SelectorProvider findJdk() {
    for (int attempt = 1; ; attempt++) {
      try {
        return DefaultProvider.find();
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  private static void sayOff(Throwable why) {
    try {
      System.err.println(
          MessageCode.OFF.line("Slipstream is off, sockets stay plain TCP: " + why.getMessage()));
    } catch (OutOfMemoryError unsaid) {
      return; // the sockets work all the same
    }
  }

  private static @Nullable SlipstreamCore startCore(
      Properties properties, Iterable<Transport> transports, SelectorProvider jdk, boolean soon)
      throws IOException {
    SlipstreamConfig config = SlipstreamConfig.read(properties);
    if (!config.enabled()) {
      return null;
    }
    String objection = Platform.here().objection();
    if (objection != null) {
      throw new IOException(objection);
    }
    Leaving leaving = new Leaving();
    try {
      // First: what is made is removed, too.
      Runtime.getRuntime()
          .addShutdownHook(Thread.ofPlatform().name("slipstream-leave").unstarted(leaving));
    } catch (IllegalStateException e) {
      return null; // the program's first socket is one of a shutdown hook: not worth a start
    }
    if (JdkAccess.isThroughAgent()) {
      CLibrary.through(JdkLinking.reached());
    }
    SlipstreamCore started =
        soon
            ? SlipstreamCore.startSoon(
                config, jdk, DefaultProvider::isAlive, JdkDescriptors.reached(), transports)
            : SlipstreamCore.start(
                config, jdk, DefaultProvider::isAlive, JdkDescriptors.reached(), transports);
    leaving.started(started);
    return started;
  }

  /**
   * What is to be done when the installation of this process has a core, and not before: a program
   * without sockets should not pay for it.
   *
   * @param agent throws nothing
   */
  public static void whenStarted(Runnable agent) {
    whenStarted = agent;
  }

  /**
   * The backends of the installation of this process. Without this call they are looked for in the
   * services of the class path or module path.
   *
   * @param brought makes them when they are first asked for
   */
  public static void transports(Iterable<Transport> brought) {
    transports = brought;
  }

  /**
   * What is to be done when a selector is closed that never had a key. Netty's native transports
   * open and close such a one before they load their library, and nothing else of theirs meets us.
   *
   * @param agent throws nothing, and is quick
   */
  public static void whenSelectorNeverUsed(Runnable agent) {
    whenSelectorNeverUsed = agent;
  }

  static void selectorNeverUsed() {
    Runnable agent = whenSelectorNeverUsed;
    if (agent != null) {
      agent.run();
    }
  }

  /**
   * Tools are to find this process now, and not with its first stream; nothing if Slipstream is
   * off. Waits for transports that are being opened, ten seconds at most.
   */
  public void beVisible() {
    if (core != null) {
      core.beVisible();
    }
  }

  /**
   * A library of the program opens connections in native code, which are none of our channels'.
   *
   * @param name for the operator
   * @param advice what makes its connections ours
   */
  public static void nativeTransport(String name, String advice) {
    SlipstreamCore core = get().core();
    if (core != null) {
      core.addNativeTransport(name, advice);
    }
  }

  /**
   * Where the JDK moves files, and the agent lets it ask our channels.
   *
   * @return methods to be transformed
   * @throws ReflectiveOperationException this JDK has no such methods
   */
  public static List<FileSeam> fileSeams() throws ReflectiveOperationException {
    return DefaultProvider.fileSeams();
  }

  /**
   * The package of the JDK that the agent opens to us.
   *
   * @return its name
   */
  public static String jdkPackage() {
    return DefaultProvider.PACKAGE;
  }

  /**
   * The JDK's own provider.
   *
   * @return never ours
   */
  public SelectorProvider jdk() {
    return jdk;
  }

  /**
   * The JDK's own provider of asynchronous channels.
   *
   * @return never ours
   * @throws IllegalStateException if it can not be reached
   */
  public static AsynchronousChannelProvider jdkAsynchronous() {
    return DefaultProvider.findAsynchronous();
  }

  /**
   * Whether streams may be accelerated.
   *
   * @return false if Slipstream is switched off or could not be started
   */
  public boolean isOn() {
    return core != null;
  }

  /** Null if Slipstream is off. */
  @Nullable SlipstreamCore core() {
    return core;
  }

  /**
   * What is behind this installation, for Slipstream's other modules: they name types that programs
   * do not see, and that change without notice.
   *
   * @param <T> the core's type
   * @param type the core's type
   * @return null if Slipstream is off
   * @throws ClassCastException if there is something else behind it
   */
  public <T> @Nullable T unwrap(Class<T> type) {
    return type.cast(core);
  }

  /**
   * Why there is no core.
   *
   * @return null if there is one, or if it is switched off
   */
  public @Nullable Throwable failure() {
    return failure;
  }

  /**
   * What carries a channel.
   *
   * @param channel any
   * @return null if it is not a stream of ours
   */
  public static @Nullable StreamStatus status(SocketChannel channel) {
    return channel instanceof SlipstreamSocketChannel c ? c.stream().status() : null;
  }
}
