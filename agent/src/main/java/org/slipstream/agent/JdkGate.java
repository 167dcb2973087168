package org.slipstream.agent;

import java.lang.invoke.MethodHandles;
import java.util.function.Function;

/**
 * The one class to which the agent opens packages of the JDK. The agent's other classes are in one
 * module with those of other agents, or with the whole program, so this class is loaded by a loader
 * of its own: what is opened to its module is not opened to them.
 */
public final class JdkGate implements Function<Class<?>, MethodHandles.Lookup> {

  /** By its loader only. */
  public JdkGate() {}

  /** Where the other classes of the program are not. */
  private static final class Loader extends ClassLoader {
    Loader() {
      super("slipstream-gate", null);
    }

    Class<?> define(byte[] bytecode) {
      return defineClass(JdkGate.class.getName(), bytecode, 0, bytecode.length);
    }
  }

  /**
   * Makes the gate; its module is what a package has to be opened to.
   *
   * @param bytecode of this class
   */
  @SuppressWarnings("unchecked") // it is this class, but another loader's
  static Function<Class<?>, MethodHandles.Lookup> load(byte[] bytecode) {
    try {
      return (Function<Class<?>, MethodHandles.Lookup>)
          new Loader().define(bytecode).getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Full access to a class of an opened package. */
  @Override
  public MethodHandles.Lookup apply(Class<?> type) {
    try {
      return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
