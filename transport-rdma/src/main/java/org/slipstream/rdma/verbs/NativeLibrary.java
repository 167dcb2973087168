package org.slipstream.rdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A shared library, or why there is none. It stays open for the life of the process: its threads
 * and its handles would not survive an unloading.
 */
@SuppressWarnings("restricted") // opening a library is what it is for
public final class NativeLibrary {
  private final String name;
  private final @Nullable SymbolLookup symbols;
  private final String failure;

  private NativeLibrary(String name, @Nullable SymbolLookup symbols, String failure) {
    this.name = name;
    this.symbols = symbols;
    this.failure = failure;
  }

  /**
   * Opens a library. Never throws.
   *
   * @param soname e.g. {@code libibverbs.so.1}
   * @param debianPackage where it comes from, for the message
   * @return the library, or a value that says why there is none
   */
  public static NativeLibrary open(String soname, String debianPackage) {
    try {
      return new NativeLibrary(soname, SymbolLookup.libraryLookup(soname, Arena.global()), "");
    } catch (IllegalArgumentException e) {
      return new NativeLibrary(
          soname, null, soname + " is not installed (Debian package " + debianPackage + ")");
    } catch (IllegalCallerException e) {
      return new NativeLibrary(
          soname, null, "native access is not allowed; add --enable-native-access=ALL-UNNAMED");
    }
  }

  /** The C library of the process. */
  static NativeLibrary c() {
    return new NativeLibrary("libc", Linker.nativeLinker().defaultLookup(), "");
  }

  /**
   * Finds a function.
   *
   * @param function its name
   * @return its address
   * @throws IllegalStateException if there is no library, or it is too old to have it
   */
  public MemorySegment address(String function) {
    return find(function)
        .orElseThrow(
            () -> new IllegalStateException(name + " is too old: it has no function " + function));
  }

  /**
   * Looks for a function.
   *
   * @param function its name
   * @return its address; empty if the library is too old to have it
   * @throws IllegalStateException if there is no library
   */
  Optional<MemorySegment> find(String function) {
    SymbolLookup s = symbols;
    if (s == null) {
      throw new IllegalStateException(failure);
    }
    return s.find(function);
  }
}
