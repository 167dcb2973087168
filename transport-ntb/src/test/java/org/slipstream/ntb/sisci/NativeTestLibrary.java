package org.slipstream.ntb.sisci;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/** The libraries that {@code src/loopback/build.sh} makes, and what only tests call in them. */
@SuppressWarnings("restricted") // calling native code is what these tests are about
public final class NativeTestLibrary {
  private final Path path;
  private final SymbolLookup symbols;

  private NativeTestLibrary(Path path) {
    this.path = path;
    this.symbols = SymbolLookup.libraryLookup(path, Arena.global());
  }

  /** A library by its variant: {@code loopback}, {@code permuted} or {@code recorder}. */
  public static NativeTestLibrary of(String variant) {
    Path path = Path.of("target", "loopback", "libsisci-" + variant + ".so").toAbsolutePath();
    if (!Files.exists(path)) {
      if ("true".equals(System.getenv("CI"))) {
        fail("CI must have a C compiler for " + path);
      }
      assumeTrue(false, "no C compiler: " + path + " was not built");
    }
    return new NativeTestLibrary(path);
  }

  /** Its file. */
  public String path() {
    return path.toString();
  }

  /** Loads it as the product does. */
  public SisciLibrary load() throws Exception {
    return SisciLibrary.load(path());
  }

  /** What the recorder was called with last. */
  String recorded() throws Throwable {
    MethodHandle handle = handle("recorded", FunctionDescriptor.of(ADDRESS));
    return ((MemorySegment) handle.invokeExact()).reinterpret(512).getString(0);
  }

  /** The error that the recorder reports from now on. */
  void failWith(int code) throws Throwable {
    handle("recorderFail", FunctionDescriptor.ofVoid(JAVA_INT)).invokeExact(code);
  }

  /** Which nodes this process plays; before anything else. */
  public void configure(Path directory, String nodes, boolean deferred) throws Throwable {
    try (Arena arena = Arena.ofConfined()) {
      handle("loopbackConfigure", FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_INT))
          .invokeExact(
              arena.allocateFrom(directory.toString()),
              arena.allocateFrom(nodes),
              deferred ? 1 : 0);
    }
  }

  /** Pulls the cable of a node, or puts it back. */
  public void setLink(int node, boolean up) throws Throwable {
    handle("loopbackSetLink", FunctionDescriptor.ofVoid(JAVA_INT, JAVA_INT))
        .invokeExact(node, up ? 1 : 0);
  }

  /** Whether transfers of DMA engines wait, and whether they can be aborted meanwhile. */
  public void stallDma(boolean stall, boolean deaf) throws Throwable {
    handle("loopbackStallDma", FunctionDescriptor.ofVoid(JAVA_INT, JAVA_INT))
        .invokeExact(stall ? 1 : 0, deaf ? 1 : 0);
  }

  /** The next sequence checks report the C status. */
  void failChecks(int status, int count) throws Throwable {
    handle("loopbackFailChecks", FunctionDescriptor.ofVoid(JAVA_INT, JAVA_INT))
        .invokeExact(status, count);
  }

  /** Takes a segment away from its owner. */
  void lose(int node, int segment) throws Throwable {
    handle("loopbackLose", FunctionDescriptor.ofVoid(JAVA_INT, JAVA_INT))
        .invokeExact(node, segment);
  }

  private MethodHandle handle(String function, FunctionDescriptor descriptor) {
    return Linker.nativeLinker().downcallHandle(symbols.findOrThrow(function), descriptor);
  }
}
