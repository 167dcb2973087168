package org.slipstream.it.memory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.slipstream.memory.Domain;
import org.slipstream.testkit.Requirement;
import org.slipstream.testkit.TestDirectory;

/**
 * Over a loopback SISCI library whose stores stay invisible until they are flushed, and then arrive
 * in any order: this JVM is two nodes, 4 and 8, and all addresses are those of node 8.
 */
class NtbMemoryTest extends NtbMemoryContract {
  private static Path library;
  private static Path hosts;

  /** A copy of the library, because another test may have configured that one for this JVM. */
  @BeforeAll
  static void joinAFabric() throws IOException {
    Path built =
        Path.of("..", "transport-ntb", "target", "loopback", "libsisci-permuted.so")
            .toAbsolutePath()
            .normalize();
    Requirement.require(Files.exists(built), "a C compiler, to build " + built);
    Path home = TestDirectory.create().path(); // the library keeps it for the life of the JVM
    library = Files.copy(built, home.resolve("libsisci-memory.so"));
    hosts = Files.writeString(home.resolve("hosts"), "127.0.0.1 8@0\n::1 8@0\n");
    configure(library, Files.createDirectory(home.resolve("world")));
  }

  @SuppressWarnings("restricted") // the test double is a C library
  private static void configure(Path library, Path world) {
    try (Arena arena = Arena.ofConfined()) {
      Linker.nativeLinker()
          .downcallHandle(
              SymbolLookup.libraryLookup(library, Arena.global()).findOrThrow("loopbackConfigure"),
              FunctionDescriptor.ofVoid(
                  ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT))
          .invokeExact(arena.allocateFrom(world.toString()), arena.allocateFrom("4,8"), 1);
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  @Override
  protected Domain domain() throws IOException {
    set("ntb.hosts", hosts);
    set("ntb.library", library);
    return super.domain();
  }
}
