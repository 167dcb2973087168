package org.slipstream.ntb.sisci;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Call shapes of C functions. A handle made here takes the function's address as its first
 * argument, so that it can be a constant of its class (which the compiler sees through) although
 * the library is chosen at run time.
 */
final class Shape {
  private Shape() {}

  /**
   * A shape.
   *
   * @param letters the result, then the arguments: {@code V} nothing, {@code I} int or enumeration,
   *     {@code L} size_t, {@code A} pointer
   * @param options of the linker
   */
  @SuppressWarnings("restricted") // calling native code is what this package is for
  static MethodHandle of(String letters, Linker.Option... options) {
    List<MemoryLayout> arguments = new ArrayList<>();
    for (char letter : letters.substring(1).toCharArray()) {
      arguments.add(layout(letter));
    }
    MemoryLayout[] all = arguments.toArray(new MemoryLayout[0]);
    char result = letters.charAt(0);
    return Linker.nativeLinker()
        .downcallHandle(
            result == 'V'
                ? FunctionDescriptor.ofVoid(all)
                : FunctionDescriptor.of(layout(result), all),
            options);
  }

  /** For leaf functions that never sleep: the call costs a few nanoseconds. */
  static MethodHandle leaf(String letters) {
    return of(letters, Linker.Option.critical(false));
  }

  private static MemoryLayout layout(char letter) {
    return switch (letter) {
      case 'I' -> JAVA_INT;
      case 'L' -> JAVA_LONG;
      case 'A' -> ADDRESS;
      default -> throw new IllegalArgumentException("no type " + letter);
    };
  }

  /** A native call throws nothing by itself: an exception is a fault of ours. */
  static RuntimeException unexpected(Throwable t) {
    if (t instanceof Error e) {
      throw e;
    }
    return t instanceof RuntimeException r ? r : new IllegalStateException(t);
  }
}
