package org.slipstream.agent;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slipstream.provider.nio.Installation;
import org.slipstream.provider.nio.JdkAccess;

/** Opens the JDK's socket packages. */
final class OpenedPackages implements JdkAccess.Gate {
  private static final String GATE = "org.slipstream.agent.JdkGate";

  /** Opened only to a process whose functions of the C library are linked. */
  private static final String LINKER = "jdk.internal.foreign.abi";

  private final Instrumentation instrumentation;

  /** Written once, under the lock of this object. */
  private volatile @Nullable Opened opened;

  OpenedPackages(Instrumentation instrumentation) {
    this.instrumentation = instrumentation;
  }

  /**
   * The module that packages are opened to.
   *
   * @param loader of its classes
   * @param gate one of them
   */
  private record Opened(JdkGate.Loader loader, Function<Class<?>, MethodHandles.Lookup> gate) {
    Module module() {
      return loader.getUnnamedModule();
    }
  }

  @Override
  public MethodHandles.Lookup to(Class<?> type) {
    Opened to = opened();
    if (type.getPackageName().equals(LINKER)) {
      open(Set.of(LINKER), to.module());
    }
    return to.gate.apply(type);
  }

  @Override
  public Object make(String type, Set<String> packages) throws ReflectiveOperationException {
    Opened to = opened();
    open(packages, to.module());
    return to.loader.make(type, bytecode(type));
  }

  private byte[] bytecode(String type) throws ReflectiveOperationException {
    try {
      return Bytecode.of(type, instrumentation);
    } catch (IOException e) {
      throw new ReflectiveOperationException(e);
    }
  }

  /**
   * What the first use begins with, before {@code main}: the first socket of a program would wait
   * some milliseconds for it.
   */
  void prepare() {
    try {
      Opened _ = opened();
    } catch (RuntimeException | LinkageError e) {
      return; // the first socket meets it again, and says so
    }
  }

  private Opened opened() {
    Opened known = opened;
    return known != null ? known : first();
  }

  @SuppressWarnings("unchecked") // it is a gate, but another loader's
  private synchronized Opened first() {
    Opened first = opened;
    if (first == null) {
      JdkGate.Loader loader = new JdkGate.Loader();
      try {
        first =
            new Opened(
                loader,
                (Function<Class<?>, MethodHandles.Lookup>) loader.make(GATE, bytecode(GATE)));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
      open(Set.of(Installation.jdkPackage(), "java.net"), first.module());
      opened = first;
    }
    return first;
  }

  private void open(Set<String> packages, Module to) {
    Map<String, Set<Module>> opens = new HashMap<>();
    Module jdk = Object.class.getModule();
    for (String name : packages) {
      if (!jdk.isOpen(name, to)) {
        opens.put(name, Set.of(to));
      }
    }
    if (!opens.isEmpty()) {
      instrumentation.redefineModule(jdk, Set.of(), Map.of(), opens, Set.of(), Map.of());
    }
  }
}
