package org.slipstream.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slipstream.provider.nio.Installation;

/**
 * Opens the JDK's socket packages when the first socket needs them: that takes milliseconds, which
 * a program without sockets keeps.
 */
final class OpenedPackages implements Function<Class<?>, MethodHandles.Lookup> {
  private static final String GATE = "org.slipstream.agent.JdkGate";

  /** Opened only to a process that calls functions of the C library. */
  private static final Set<String> LINKER =
      Set.of(
          "jdk.internal.foreign.abi",
          "jdk.internal.foreign.abi.aarch64",
          "jdk.internal.foreign.abi.x64.sysv",
          "jdk.internal.loader",
          "jdk.internal.access");

  private final Instrumentation instrumentation;

  /** Written once, under the lock of this object. */
  private volatile @Nullable Function<Class<?>, MethodHandles.Lookup> gate;

  OpenedPackages(Instrumentation instrumentation) {
    this.instrumentation = instrumentation;
  }

  @Override
  public MethodHandles.Lookup apply(Class<?> type) {
    Function<Class<?>, MethodHandles.Lookup> opened = gate;
    if (opened == null) {
      opened = open();
    }
    if (LINKER.contains(type.getPackageName())) {
      // Each by itself: one that another JDK does not have must not keep the others closed.
      open(Map.of(type.getPackageName(), Set.of(opened.getClass().getModule())));
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
