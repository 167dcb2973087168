package org.slipstream.ntb.sisci;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One loaded SISCI library: its functions by name, its constants, and what it says about itself.
 * Stays loaded until the process ends. Safe for any thread.
 */
public final class SisciLibrary {
  private static final List<String> PREFIXES =
      List.of("_SISCI_PUBLIC_FUNC_MT_", "_SISCI_PUBLIC_FUNC_ST_", "");
  private static final List<String> CONSTANT_PREFIXES = List.of("_SISCI_PUBLIC_CONST_", "");

  /** Where the vendor installs it, if the linker does not find it by its name. */
  private static final Path VENDOR = Path.of("/opt/DIS/lib64/libsisci.so");

  private static final int TEXT_BYTES = 256;
  private static final long RELEASE_GRACE_NS = 1_000_000_000L;

  private static final MethodHandle INITIALIZE = Shape.of("VIA");
  private static final MethodHandle ERROR_STRING = Shape.of("AI");
  private static final MethodHandle LOCAL_NODE = Shape.of("VIAIA");
  private static final MethodHandle QUERY = Shape.of("VIAIA");
  private static final MethodHandle RELEASE = Shape.of("VAIA");

  private final String name;
  private final SymbolLookup symbols;
  private final Map<String, MemorySegment> functions = new ConcurrentHashMap<>();
  private final SisciConstants constants;

  private SisciLibrary(String name, SymbolLookup symbols) throws IOException {
    this.name = name;
    this.symbols = symbols;
    try {
      this.constants = SisciConstants.read(this::constant);
    } catch (IllegalStateException e) {
      throw new IOException(e.getMessage(), e);
    }
    try (ErrorCell error = new ErrorCell(this::errorText)) {
      INITIALIZE.invokeExact(function("SCIInitialize"), 0, error.address());
      error.check("SCIInitialize");
    } catch (IOException e) {
      throw e;
    } catch (Throwable t) {
      throw Shape.unexpected(t);
    }
  }

  /**
   * Loads and initialises a library.
   *
   * @param name a path, or a name that the dynamic linker knows
   * @return the library
   * @throws IOException it is not there, is no SISCI library, or does not fit its driver; the
   *     message is one sentence
   */
  @SuppressWarnings("restricted") // loading native code is what this package is for
  public static SisciLibrary load(String name) throws IOException {
    SymbolLookup symbols;
    String found = name;
    try {
      if (name.indexOf('/') < 0 && Files.exists(VENDOR) && VENDOR.endsWith(name)) {
        found = VENDOR.toString();
      }
      symbols =
          found.indexOf('/') < 0
              ? SymbolLookup.libraryLookup(found, Arena.global())
              : SymbolLookup.libraryLookup(Path.of(found), Arena.global());
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "the SISCI library " + name + " can not be loaded; install the vendor's driver package",
          e);
    }
    return new SisciLibrary(found, symbols);
  }

  /**
   * What was loaded.
   *
   * @return a path or name
   */
  public String name() {
    return name;
  }

  /**
   * The constants of this library.
   *
   * @return read once
   */
  public SisciConstants constants() {
    return constants;
  }

  /** The address of a function. */
  MemorySegment function(String function) {
    MemorySegment known = functions.get(function);
    return known != null ? known : functions.computeIfAbsent(function, f -> symbol(PREFIXES, f));
  }

  private MemorySegment symbol(List<String> prefixes, String symbol) {
    for (String prefix : prefixes) {
      Optional<MemorySegment> address = symbols.find(prefix + symbol);
      if (address.isPresent()) {
        return address.get();
      }
    }
    throw new IllegalStateException("the library " + name + " has no " + symbol);
  }

  @SuppressWarnings("restricted") // a C object of four bytes
  private int constant(String constant) {
    return symbol(CONSTANT_PREFIXES, constant).reinterpret(Integer.BYTES).get(JAVA_INT, 0);
  }

  /**
   * The library's text for a code.
   *
   * @param code from the library
   * @return never empty
   */
  @SuppressWarnings("restricted") // a C string
  public String errorText(int code) {
    if (symbols.find(PREFIXES.get(0) + "SCIGetErrorString").isEmpty()
        && symbols.find(PREFIXES.get(1) + "SCIGetErrorString").isEmpty()) {
      return SisciError.of(code).toString();
    }
    try {
      MemorySegment text =
          (MemorySegment) ERROR_STRING.invokeExact(function("SCIGetErrorString"), code);
      return text.address() == 0
          ? SisciError.of(code).toString()
          : text.reinterpret(TEXT_BYTES).getString(0);
    } catch (Throwable t) {
      throw Shape.unexpected(t);
    }
  }

  /**
   * The node id of an adapter.
   *
   * @param adapter its number
   * @return a node id
   * @throws IOException there is no such adapter
   */
  public int localNodeId(int adapter) throws IOException {
    try (ErrorCell error = new ErrorCell(this::errorText)) {
      MemorySegment out = error.allocateInt();
      LOCAL_NODE.invokeExact(function("SCIGetLocalNodeId"), adapter, out, 0, error.address());
      error.check("SCIGetLocalNodeId");
      return out.get(JAVA_INT, 0);
    } catch (IOException e) {
      throw e;
    } catch (Throwable t) {
      throw Shape.unexpected(t);
    }
  }

  /**
   * The version text.
   *
   * @return e.g. {@code SISCI API version 2.0.2}
   * @throws IOException the query failed
   */
  public String apiVersion() throws IOException {
    try (ErrorCell error = new ErrorCell(this::errorText)) {
      MemorySegment text = error.arena().allocate(TEXT_BYTES);
      MemorySegment query = error.arena().allocate(16, 8); // char *str; unsigned length
      query.set(ADDRESS, 0, text);
      query.set(JAVA_INT, 8, TEXT_BYTES);
      query(constants.queryApi(), query, error);
      return text.getString(0).strip();
    }
  }

  /**
   * Whether the link of an adapter is up.
   *
   * @param adapter its number
   * @return true if it is operational
   * @throws IOException there is no such adapter
   */
  public boolean isLinkUp(int adapter) throws IOException {
    return queryAdapter(adapter, constants.adapterLinkOperational()) != 0;
  }

  private int queryAdapter(int adapter, int subcommand) throws IOException {
    try (ErrorCell error = new ErrorCell(this::errorText)) {
      MemorySegment out = error.allocateInt();
      MemorySegment query = error.arena().allocate(24, 8);
      query.set(JAVA_INT, 0, adapter); // localAdapterNo; portNo stays 0
      query.set(JAVA_INT, 8, subcommand);
      query.set(ADDRESS, 16, out);
      query(constants.queryAdapter(), query, error);
      return out.get(JAVA_INT, 0);
    }
  }

  private void query(int command, MemorySegment data, ErrorCell error) throws IOException {
    try {
      QUERY.invokeExact(function("SCIQuery"), command, data, 0, error.address());
    } catch (Throwable t) {
      throw Shape.unexpected(t);
    }
    error.check("SCIQuery");
  }

  /** Calls {@code f(handle, flags, &error)}, the shape of everything that ends a handle. */
  void call(String function, MemorySegment handle, int flags) throws SisciException {
    try (ErrorCell error = new ErrorCell(this::errorText)) {
      try {
        RELEASE.invokeExact(function(function), handle, flags, error.address());
      } catch (Throwable t) {
        throw Shape.unexpected(t);
      }
      error.check(function);
    }
  }

  /** As {@link #call}, again while the library says that the handle is in use, for a second. */
  void release(String function, MemorySegment handle, int flags) throws SisciException {
    long deadline = System.nanoTime() + RELEASE_GRACE_NS;
    for (; ; ) {
      try {
        call(function, handle, flags);
        return;
      } catch (SisciException e) {
        if (e.error() != SisciError.BUSY || System.nanoTime() - deadline > 0) {
          throw e;
        }
        Thread.onSpinWait();
      }
    }
  }
}
