package org.slipstream.agent;

import java.lang.invoke.MethodHandles;
import java.util.function.Function;

/**
 * To whose module the agent opens packages of the JDK. The agent's other classes are in one module
 * with those of other agents, or with the whole program, so this class is loaded by a loader of its
 * own, as are the classes that call the JDK ({@link OpenedPackages}): what is opened to their
 * module is not opened to the others.
 */
public final class JdkGate implements Function<Class<?>, MethodHandles.Lookup> {

  /** By its loader only. */
  public JdkGate() {}

  /** Of the classes that are defined here, and no others, it is the loader. */
  static final class Loader extends ClassLoader {
    Loader() {
      // Not the gate's own: that would load it, and its bytes are seen only while it is loaded.
      super("slipstream-gate", Loader.class.getClassLoader());
    }

    /**
     * Makes an object of a class.
     *
     * @param bytecode of it
     */
    synchronized Object make(String type, byte[] bytecode) throws ReflectiveOperationException {
      Class<?> known = findLoadedClass(type);
      return (known != null ? known : defineClass(type, bytecode, 0, bytecode.length))
          .getConstructor()
          .newInstance();
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
