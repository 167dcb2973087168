package org.slipstream.provider.nio;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.Stability;

/**
 * Access to what the JDK keeps to itself: through the agent's gate, to which it is opened, or
 * directly if an operator has opened or exported it to the whole class path.
 */
@Stability(Stability.Level.INTERNAL)
public final class JdkAccess {
  /** Set once, before the program begins. */
  private static volatile @Nullable Function<Class<?>, MethodHandles.Lookup> gate;

  private JdkAccess() {}

  /**
   * Takes the agent's gate.
   *
   * @param opened gives full access to classes of the packages that were opened to it; may open
   *     them when it is first asked
   */
  public static void through(Function<Class<?>, MethodHandles.Lookup> opened) {
    gate = opened;
  }

  /** Whether the agent gives access, to every package that is asked for. */
  static boolean isThroughAgent() {
    return gate != null;
  }

  /** Full access to a class, private members too. */
  static MethodHandles.Lookup to(Class<?> type) throws IllegalAccessException {
    Function<Class<?>, MethodHandles.Lookup> opened = gate;
    if (opened == null) {
      return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
    }
    try {
      return opened.apply(type);
    } catch (RuntimeException notOpened) {
      IllegalAccessException e = new IllegalAccessException(notOpened.getMessage());
      e.initCause(notOpened);
      throw e;
    }
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
