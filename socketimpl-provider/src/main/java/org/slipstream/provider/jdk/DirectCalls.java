package org.slipstream.provider.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.function.Function;
import jdk.internal.access.SharedSecrets;
import jdk.internal.foreign.abi.ABIDescriptor;
import jdk.internal.foreign.abi.NativeEntryPoint;
import jdk.internal.foreign.abi.VMStorage;
import jdk.internal.loader.BootLoader;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.CLibrary.DirectFunction;
import org.slipstream.transport.Platform;

/**
 * Calls of functions of the C library that the JDK's linker did not arrange. For a function of
 * whole numbers its arrangement is known: each argument lies in the next register of the calling
 * convention. The linker finds that out with a hundred classes that it makes, a quarter of a second
 * of processor time while a process is young; the stub that it then asks the JVM for is asked for
 * here, with the JDK's own description of the registers.
 */
public final class DirectCalls implements Function<String, @Nullable DirectFunction> {
  private static final int ARGUMENTS = 6;

  /** {@code errno}, in the JVM's set of what it keeps of a call. */
  private static final int ERRNO = 1 << 2;

  private final MethodHandle call;

  /**
   * By its loader only.
   *
   * @throws ReflectiveOperationException on another processor, and where the JDK's inside is
   *     another
   */
  public DirectCalls() throws ReflectiveOperationException {
    call = call(registers());
  }

  /** Of Linux, on this processor. */
  private static ABIDescriptor registers() throws ReflectiveOperationException {
    Platform here = Platform.here();
    if (here.isX86()) {
      return registers("x64.sysv.CallArranger", "CSysV");
    }
    if (here.isAArch64()) {
      return registers("aarch64.CallArranger", "C");
    }
    throw new ReflectiveOperationException("its calling convention is not known here");
  }

  private static ABIDescriptor registers(String arranger, String field)
      throws ReflectiveOperationException {
    Class<?> owner = Class.forName("jdk.internal.foreign.abi." + arranger);
    return (ABIDescriptor)
        MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
            .findStaticVarHandle(owner, field, ABIDescriptor.class)
            .get();
  }

  /** Null if no library of the JDK, and none that these need, has such a function. */
  @Override
  public @Nullable DirectFunction apply(String function) {
    long address = BootLoader.getNativeLibraries().find(function);
    return address == 0 ? null : new DirectFunction(call, address);
  }

  private static MethodHandle call(ABIDescriptor linux) {
    VMStorage[] taken = new VMStorage[2 + ARGUMENTS];
    taken[0] = linux.targetAddrStorage();
    taken[1] = linux.capturedStateStorage();
    System.arraycopy(linux.inputStorage[0], 0, taken, 2, ARGUMENTS);
    VMStorage[] given = {linux.outputStorage[0][0]};
    Class<?>[] numbers = new Class<?>[taken.length];
    Arrays.fill(numbers, long.class);
    boolean inSeveralRegisters = false;
    boolean leavesJava = true;
    boolean memoryMayBeAnArray = false;
    return SharedSecrets.getJavaLangInvokeAccess()
        .nativeMethodHandle(
            NativeEntryPoint.make(
                linux,
                taken,
                given,
                MethodType.methodType(long.class, numbers),
                inSeveralRegisters,
                ERRNO,
                leavesJava,
                memoryMayBeAnArray));
  }
}
