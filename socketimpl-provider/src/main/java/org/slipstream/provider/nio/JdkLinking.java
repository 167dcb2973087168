package org.slipstream.provider.nio;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.CLibrary;
import org.slipstream.transport.CLibrary.DirectFunction;
import org.slipstream.transport.Platform;

/**
 * Links through the JDK's own linker, behind its question for native access: the agent opens that
 * package to its gate alone. So native access stays as the user has set it for the program's
 * classes, with which ours share a module.
 */
final class JdkLinking implements CLibrary.Linking {

  /** Looked up when the first function is linked. */
  private static final class Jdk {
    static final MethodHandle DOWNCALL;

    static {
      try {
        DOWNCALL =
            JdkAccess.to(
                    Class.forName("jdk.internal.foreign.abi.AbstractLinker")
                        .getDeclaredMethod(
                            "downcallHandle0", FunctionDescriptor.class, Linker.Option[].class))
                .asFixedArity();
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("this JDK's linker is not known", e);
      }
    }
  }

  /** Looked up when the first function is called. */
  private static final class Direct {
    private static final String LINKER = "jdk.internal.foreign.abi";

    static final @Nullable Function<String, @Nullable DirectFunction> CALLS = find();

    @SuppressWarnings("unchecked") // it is one, or it is not there
    private static @Nullable Function<String, @Nullable DirectFunction> find() {
      try {
        return (Function<String, @Nullable DirectFunction>)
            JdkAccess.make(
                "org.slipstream.provider.jdk.DirectCalls",
                Set.of(
                    LINKER,
                    LINKER + (Platform.here().isX86() ? ".x64.sysv" : ".aarch64"),
                    "jdk.internal.loader",
                    "jdk.internal.access"));
      } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
        return null; // another JDK, or another processor
      }
    }
  }

  private JdkLinking() {}

  /** Of the type that the caller passes on: else its verifier would load that type before main. */
  static CLibrary.Linking reached() {
    return new JdkLinking();
  }

  @Override
  public @Nullable DirectFunction direct(String function) {
    Function<String, @Nullable DirectFunction> calls = Direct.CALLS;
    try {
      return calls == null ? null : calls.apply(function);
    } catch (LinkageError e) {
      return null; // another JDK
    }
  }

  @Override
  public MethodHandle link(
      MemorySegment function, FunctionDescriptor shape, Linker.Option... options) {
    try {
      return ((MethodHandle) Jdk.DOWNCALL.invoke(Linker.nativeLinker(), shape, options))
          .bindTo(function);
    } catch (Throwable e) {
      throw new IllegalStateException("this JDK's linker does not link", e);
    }
  }
}
