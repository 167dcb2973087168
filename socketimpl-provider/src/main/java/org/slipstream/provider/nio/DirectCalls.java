package org.slipstream.provider.nio;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.CLibrary.DirectFunction;
import org.slipstream.transport.Platform;

/**
 * Calls of functions of the C library that the JDK's linker did not arrange. For a function of
 * whole numbers its arrangement is known: each argument lies in the next register of the calling
 * convention. The linker finds that out with a hundred classes that it makes, a quarter of a second
 * of processor time while a process is young; the stub that it then asks the JVM for is asked for
 * here. What may change with the JDK is taken from the JDK: registers, places, and the stub's
 * maker, whose parameters must be the known ones.
 */
final class DirectCalls {
  private static final String LINKER = "jdk.internal.foreign.abi.";

  private static final int ARGUMENTS = 6;

  /** {@code errno}, in the JVM's set of what it keeps of a call. */
  private static final int ERRNO = 1 << 2;

  /** For {@code dlsym}: in all libraries of the process. */
  private static final long ANY_LIBRARY = 0;

  /** Where the JDK keeps the calling convention of Linux on a processor. */
  private enum Convention {
    X86_64("x64.sysv.CallArranger", "CSysV"),
    AARCH64("aarch64.CallArranger", "C");

    private final String arranger;
    private final String field;

    Convention(String arranger, String field) {
      this.arranger = arranger;
      this.field = field;
    }

    static @Nullable Convention here() {
      Platform here = Platform.here();
      return here.isX86() ? X86_64 : here.isAArch64() ? AARCH64 : null;
    }
  }

  private DirectCalls() {}

  /** Null where the processor, or the JDK's inside, is another one. */
  static @Nullable DirectFunction find(String function) {
    Convention convention = Convention.here();
    if (convention == null) {
      return null;
    }
    try {
      long address = address(function);
      return address == 0 ? null : new DirectFunction(call(convention), address);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return null;
    }
  }

  private static long address(String function) throws ReflectiveOperationException {
    Class<?> library = Class.forName("jdk.internal.loader.NativeLibrary");
    MethodHandle find =
        JdkAccess.to(library)
            .findStatic(
                library, "findEntry0", MethodType.methodType(long.class, long.class, String.class));
    try {
      return (long) find.invokeExact(ANY_LIBRARY, function);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static MethodHandle call(Convention convention) throws ReflectiveOperationException {
    Class<?> arranger = Class.forName(LINKER + convention.arranger);
    Class<?> registers = Class.forName(LINKER + "ABIDescriptor");
    Class<?> place = Class.forName(LINKER + "VMStorage");
    Class<?> places = place.arrayType();
    Object linux =
        JdkAccess.to(arranger).findStaticVarHandle(arranger, convention.field, registers).get();
    Lookup inside = JdkAccess.to(registers);
    Object[][] in = (Object[][]) field(inside, linux, "inputStorage", places.arrayType());
    Object[][] out = (Object[][]) field(inside, linux, "outputStorage", places.arrayType());
    Object[] taken = (Object[]) Array.newInstance(place, 2 + ARGUMENTS);
    taken[0] = field(inside, linux, "targetAddrStorage", place);
    taken[1] = field(inside, linux, "capturedStateStorage", place);
    System.arraycopy(in[0], 0, taken, 2, ARGUMENTS);
    Object[] given = (Object[]) Array.newInstance(place, 1);
    given[0] = out[0][0];
    Class<?>[] numbers = new Class<?>[taken.length];
    Arrays.fill(numbers, long.class);
    return stub(linux, taken, given, MethodType.methodType(long.class, numbers));
  }

  private static Object field(Lookup inside, Object of, String name, Class<?> type)
      throws ReflectiveOperationException {
    return inside.findVarHandle(inside.lookupClass(), name, type).get(of);
  }

  private static MethodHandle stub(Object linux, Object[] taken, Object[] given, MethodType type)
      throws ReflectiveOperationException {
    Class<?> entry = Class.forName(LINKER + "NativeEntryPoint");
    Class<?> access = Class.forName("jdk.internal.access.JavaLangInvokeAccess");
    Class<?> secrets = Class.forName("jdk.internal.access.SharedSecrets");
    MethodHandle make =
        JdkAccess.to(entry)
            .findStatic(
                entry,
                "make",
                MethodType.methodType(
                    entry,
                    linux.getClass(),
                    taken.getClass(),
                    given.getClass(),
                    MethodType.class,
                    boolean.class, // whether it returns in more than one register
                    int.class, // what is kept of the call
                    boolean.class, // whether the thread leaves Java meanwhile
                    boolean.class)); // whether memory may be an array
    MethodHandle invoke =
        JdkAccess.to(access)
            .findVirtual(
                access, "nativeMethodHandle", MethodType.methodType(MethodHandle.class, entry));
    try {
      Object invoking =
          JdkAccess.to(secrets).findStaticVarHandle(secrets, "javaLangInvokeAccess", access).get();
      Object made = make.invoke(linux, taken, given, type, false, ERRNO, true, false);
      return (MethodHandle) invoke.invoke(invoking, made);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
