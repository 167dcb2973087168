package org.slipstream.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The programs and their driver run from {@code benchmarks.jar}, on the stock JDK: it holds nothing
 * of Slipstream but the Netty adapter, and what they name beyond that would be missing at run time.
 */
class StockJdkTest {
  /** Their jars hold all of Slipstream, or they run with slipstream.jar on their class path. */
  private static final Set<String> APART = Set.of("jmh", "jcstress", "memory", "examples");

  @Test
  void nothingOfSlipstreamIsNamedThatTheJarDoesNotHold() throws IOException, URISyntaxException {
    Path root =
        Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI())
            .resolve("org/slipstream/benchmarks");
    Set<String> missing = new TreeSet<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path file : all.filter(path -> path.toString().endsWith(".class")).toList()) {
        if (!APART.contains(root.relativize(file).getName(0).toString())) {
          for (PoolEntry entry : ClassFile.of().parse(file).constantPool()) {
            if (entry instanceof ClassEntry named && isMissing(named.asInternalName())) {
              missing.add(root.relativize(file) + " names " + named.asInternalName());
            }
          }
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  private static boolean isMissing(String name) {
    return name.startsWith("org/slipstream/")
        && !name.startsWith("org/slipstream/benchmarks/")
        && !name.startsWith("org/slipstream/netty/");
  }
}
