package org.slipstream.it.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.testkit.Requirement;

/**
 * Alpine's C library has the functions that are called, and its headers say of constants and
 * layouts what glibc's say, which all other tests run with. No JVM of Alpine has run.
 */
class MuslIT {
  private static final Path CC = Path.of("/usr/bin/cc");
  private static final Path VERBS = Path.of("/usr/include/rdma/rdma_cma.h");

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"src/test/c/calls.c", "../transport-rdma/src/test/c/layouts.c"})
  void muslSaysWhatGlibcSays(String source) throws Exception {
    Requirement.require(
        Files.exists(CC) && Files.exists(VERBS), "gcc, libibverbs-dev and librdmacm-dev");
    Path musl = Path.of(Guest.make("musl", Path.of("emulated", "musl").toAbsolutePath()));
    String ours = directory.resolve("glibc").toString();
    run(CC.toString(), source, "-o", ours);

    // What musl has not, of the kernel and of rdma-core, is looked for behind it.
    String object = directory.resolve("musl.o").toString();
    List<String> compile = new ArrayList<>(List.of(CC.toString(), "-c", source, "-o", object));
    compile.addAll(List.of("-nostdinc", "-isystem", musl.resolve("include").toString()));
    compile.addAll(List.of("-idirafter", "/usr/include"));
    compile.addAll(List.of("-idirafter", "/usr/include/x86_64-linux-gnu"));
    run(compile.toArray(String[]::new));
    String alpines = directory.resolve("musl").toString();
    Path lib = musl.resolve("lib");
    run(
        CC.toString(),
        "-static",
        "-nostdlib",
        lib.resolve("crt1.o").toString(),
        lib.resolve("crti.o").toString(),
        object,
        lib.resolve("libc.a").toString(),
        "-lgcc",
        lib.resolve("crtn.o").toString(),
        "-o",
        alpines);
    assertThat(run(alpines)).isNotEmpty().isEqualTo(run(ours));
  }

  private static String run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }
}
