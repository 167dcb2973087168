package org.slipstream.agent.launch;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import org.jspecify.annotations.Nullable;
import org.slipstream.provider.older.RunningJava;

/**
 * The {@code Premain-Class} and {@code Agent-Class}: reads the agent's arguments and starts the
 * agent, unless Slipstream is switched off, runs already, or Java is too old. Whatever happens, the
 * program starts: an exception of a premain method would abort the JVM.
 */
public final class AgentLauncher {
  private static final String ENABLED_PROPERTY = "slipstream.enabled";
  private static final String AGENT = "org.slipstream.agent.SlipstreamAgent";
  private static final String ATTACHMENT = "org.slipstream.agent.Attachment";

  /** What became of {@link #agentmain}: the tool that attached reads it. */
  private static final String OUTCOME_PROPERTY = "org.slipstream.attach";

  /** Written and read by the thread that starts the JVM, and then by that which loads agents. */
  private static boolean started;

  private AgentLauncher() {}

  /**
   * Called by the JVM before {@code main}, once for each time that the agent is named.
   *
   * @param arguments {@code key=value} pairs, comma-separated, or null; each sets {@code
   *     slipstream.key} unless the property is set already
   * @param instrumentation of this JVM
   */
  public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
    try {
      apply(arguments);
      if (started || "false".equals(System.getProperty(ENABLED_PROPERTY))) {
        return; // switched off it costs the program this class and no other
      }
      if (RunningJava.isTooOld()) {
        RunningJava.sayThatConnectionsStayOnTcp();
      } else {
        // A method of this one's shape: the JVM has just made what it takes to call such a one.
        Class.forName(AGENT)
            .getMethod("install", String.class, Instrumentation.class)
            .invoke(null, arguments, instrumentation);
      }
      started = true;
    } catch (InvocationTargetException e) {
      off(String.valueOf(e.getCause()));
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      off(e.getMessage());
    }
  }

  /**
   * Called by the JVM while the program runs, for {@code slipstream attach}. Says what became of it
   * in a system property, because an exception would say nothing to the tool and everything to the
   * program's standard error.
   *
   * @param arguments as those of {@link #premain}
   * @param instrumentation of this JVM
   */
  public static void agentmain(@Nullable String arguments, Instrumentation instrumentation) {
    System.setProperty(OUTCOME_PROPERTY, attached(arguments, instrumentation));
  }

  private static String attached(@Nullable String arguments, Instrumentation instrumentation) {
    if (RunningJava.isTooOld()) {
      return RunningJava.complaint();
    }
    if (started) {
      return "Slipstream runs in it already, or has failed to start there";
    }
    try {
      apply(arguments);
      if ("false".equals(System.getProperty(ENABLED_PROPERTY))) {
        return "it has slipstream.enabled=false";
      }
      Object outcome =
          Class.forName(ATTACHMENT)
              .getMethod("install", Instrumentation.class)
              .invoke(null, instrumentation);
      started = true;
      return String.valueOf(outcome);
    } catch (InvocationTargetException e) {
      return String.valueOf(e.getCause());
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static void apply(@Nullable String arguments) {
    if (arguments == null || arguments.trim().isEmpty()) {
      return;
    }
    for (String pair : arguments.split(",", -1)) {
      int equals = pair.indexOf('=');
      if (equals <= 0) {
        throw new IllegalArgumentException("agent argument '" + pair + "' is not key=value");
      }
      String key = "slipstream." + pair.substring(0, equals).trim();
      if (System.getProperty(key) == null) {
        System.setProperty(key, pair.substring(equals + 1).trim());
      }
    }
  }

  private static void off(@Nullable String why) {
    System.err.println("slipstream: SL001: Slipstream is off, sockets stay plain TCP: " + why);
  }
}
