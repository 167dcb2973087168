package org.slipstream.provider.nio;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.Stability;

/**
 * Access to what the JDK keeps to itself: through the agent's gate, to which it is opened, or
 * directly if an operator has opened or exported it to the whole class path.
 */
@Stability(Stability.Level.INTERNAL)
public final class JdkAccess {

  /** What packages of the JDK are opened to. */
  public interface Gate {
    /**
     * Full access to a class; may open its package when it is first asked.
     *
     * @param type of one of the packages that we use
     * @return private members too
     * @throws RuntimeException this JDK has no such package
     */
    MethodHandles.Lookup to(Class<?> type);

    /**
     * Makes an object of a class that calls the JDK's own as Java calls; the packages are opened to
     * it.
     *
     * @param type a class of ours without a constructor's parameters
     * @param packages of the JDK that it names
     * @return new
     * @throws ReflectiveOperationException this JDK has not all that it needs
     * @throws LinkageError the same
     * @throws RuntimeException the same
     */
    Object make(String type, Set<String> packages) throws ReflectiveOperationException;
  }

  /** Set once, before the program begins. */
  private static volatile @Nullable Gate gate;

  private JdkAccess() {}

  /**
   * Takes the agent's gate.
   *
   * @param opened that of this process
   */
  public static void through(Gate opened) {
    gate = opened;
  }

  /** Whether the agent gives access, to every package that is asked for. */
  static boolean isThroughAgent() {
    return gate != null;
  }

  /** Full access to a class, private members too. */
  static MethodHandles.Lookup to(Class<?> type) throws IllegalAccessException {
    Gate opened = gate;
    if (opened == null) {
      return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
    }
    try {
      return opened.to(type);
    } catch (RuntimeException notOpened) {
      IllegalAccessException e = new IllegalAccessException(notOpened.getMessage());
      e.initCause(notOpened);
      throw e;
    }
  }

  /** As {@link Gate#make}, of a class beside us if there is no gate. */
  static Object make(String type, Set<String> packages) throws ReflectiveOperationException {
    Gate opened = gate;
    if (opened != null) {
      return opened.make(type, packages);
    }
    for (String name : packages) {
      if (!Object.class.getModule().isExported(name, JdkAccess.class.getModule())) {
        // Before it is tried: what a class could not link once, it can not link when it is
        // exported.
        throw new IllegalAccessException("java.base does not export " + name);
      }
    }
    return Class.forName(type).getConstructor().newInstance();
  }

  /** A method, which need not be accessible to others. */
  static MethodHandle to(Method method) throws IllegalAccessException {
    MethodHandles.Lookup lookup;
    try {
      lookup = to(method.getDeclaringClass());
    } catch (IllegalAccessException notOpened) {
      lookup = MethodHandles.lookup(); // a public method of a package that is exported
    }
    return lookup.unreflect(method);
  }
}
