package org.slipstream.it.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.slipstream.ntb.NtbSettings;
import org.slipstream.ntb.NtbTransport;
import org.slipstream.testkit.Requirement;
import org.slipstream.testkit.TestDirectory;

/**
 * This JVM as two nodes: adapter 0 is node 4 and adapter 1 is node 8 of a loopback SISCI library.
 * All addresses of this host belong to node 8, so clients go from node 4 to node 8.
 */
public final class LoopbackNodes {
  private LoopbackNodes() {}

  /** The transport; once in a process. */
  static NtbTransport transport() {
    return transport("loopback", false);
  }

  /**
   * The transport over a variant of the library; each once in a process.
   *
   * @param variant {@code loopback} or {@code permuted}
   * @param deferred whether stores stay invisible until they are flushed, and then arrive in any
   *     order
   */
  static NtbTransport transport(String variant, boolean deferred) {
    Path library = library(variant);
    require(library);
    try {
      Path home = TestDirectory.create().path(); // the library keeps it for the life of the JVM
      configure(library, home, deferred);
      Path hosts =
          Files.writeString(home.resolve("hosts"), "127.0.0.1 8@0\n127.0.0.2 8@0\n::1 8@0\n");
      Properties settings = new Properties();
      settings.setProperty("slipstream.ntb.hosts", hosts.toString());
      settings.setProperty("slipstream.ntb.library", library.toString());
      // More than a board has: some contracts have a thousand stream ends in one process.
      settings.setProperty("slipstream.ntb.window", "1g");
      settings.setProperty("slipstream.ntb.key", "trusted");
      return new NtbTransport(NtbSettings.read(settings));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Configures a copy of a variant of the library, because another test may have configured that
   * one for this JVM.
   *
   * @param variant as above
   * @param home a directory that stays as long as the JVM
   * @param deferred as above
   * @return the copy
   */
  public static Path join(String variant, Path home, boolean deferred) throws IOException {
    Path built = library(variant);
    require(built);
    Path copy = Files.copy(built, home.resolve("libsisci-copy.so"));
    configure(copy, Files.createDirectory(home.resolve("world")), deferred);
    return copy;
  }

  private static Path library(String variant) {
    return Path.of("..", "transport-ntb", "target", "loopback", "libsisci-" + variant + ".so")
        .toAbsolutePath()
        .normalize();
  }

  private static void require(Path library) {
    Requirement.require(Files.exists(library), "a C compiler, to build " + library);
  }

  /** Skips the test, or fails it in CI, where the library could not be built. */
  static void require() {
    require(library("loopback"));
  }

  @SuppressWarnings("restricted") // the test double is a C library
  private static void configure(Path library, Path home, boolean deferred) {
    try (Arena arena = Arena.ofConfined()) {
      Linker.nativeLinker()
          .downcallHandle(
              SymbolLookup.libraryLookup(library, Arena.global()).findOrThrow("loopbackConfigure"),
              FunctionDescriptor.ofVoid(
                  ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT))
          .invokeExact(
              arena.allocateFrom(home.toString()), arena.allocateFrom("4,8"), deferred ? 1 : 0);
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }
}
