package org.slipstream.transport;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * Functions of the C library, for what is done on shared memory beside plain Java. Linked only
 * where that does not make the JVM warn: by the agent, or with native access that the user has
 * given to our module. Any thread.
 */
@SuppressWarnings("restricted") // only where it is allowed
public final class CLibrary {

  /**
   * A function whose arguments are whole numbers in registers, and how to call it.
   *
   * @param call of the type {@code (long address, long error, long, long, long, long, long,
   *     long)long}: the address below, where {@code errno} is left, and six arguments
   * @param address of the function
   */
  public record DirectFunction(MethodHandle call, long address) {}

  /** Links without the rights of our module. */
  public interface Linking {
    /**
     * As {@link Linker#downcallHandle(MemorySegment, FunctionDescriptor, Linker.Option...)}.
     *
     * @param function its address
     * @param shape of it
     * @param options of the linker
     * @return calls it
     */
    MethodHandle link(MemorySegment function, FunctionDescriptor shape, Linker.Option... options);

    /**
     * As {@link CLibrary#direct}.
     *
     * @param function its name
     * @return null where it has to be linked
     */
    @Nullable DirectFunction direct(String function);
  }

  /** Set once, before the first stream is opened. */
  private static volatile @Nullable Linking agent;

  private CLibrary() {}

  /**
   * The agent links from now on, whatever native access our module has.
   *
   * @param linking what it links with
   */
  public static void through(Linking linking) {
    agent = linking;
  }

  /**
   * Whether {@link #link} may be called.
   *
   * @return false if it would be the cause of a warning of the JVM, or of an exception
   */
  public static boolean isAllowed() {
    return agent != null || CLibrary.class.getModule().isNativeAccessEnabled();
  }

  /**
   * A function of six whole numbers, which returns one, for a call without the linker: that makes a
   * hundred classes for its first function.
   *
   * @param function its name
   * @return null where it has to be linked: without the agent, on processors other than x86-64 and
   *     AArch64, and where the JDK's inside is another
   */
  public static @Nullable DirectFunction direct(String function) {
    Linking linking = agent;
    return linking == null ? null : linking.direct(function);
  }

  /**
   * Links a function. That costs a tenth of a second of processor time when it is done first.
   *
   * @param function its name
   * @param shape of it
   * @param options of the linker
   * @return calls it
   * @throws RuntimeException there is no such function, or this JDK's linker is not known
   */
  public static MethodHandle link(
      String function, FunctionDescriptor shape, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    MemorySegment address = linker.defaultLookup().findOrThrow(function);
    Linking linking = agent;
    return linking == null || CLibrary.class.getModule().isNativeAccessEnabled()
        ? linker.downcallHandle(address, shape, options)
        : linking.link(address, shape, options);
  }
}
