package org.slipstream.rdma;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** What a C program says, compiled against the headers of this machine. */
public final class CTable {
  private final Map<String, Long> values = new HashMap<>();

  private CTable() {}

  /**
   * Compiles {@code src/test/c/layouts.c} and runs it. Skips the test without compiler or headers,
   * but not in CI.
   *
   * @param directory for the program
   * @return what it printed
   */
  public static CTable print(Path directory) throws Exception {
    boolean headers = Files.exists(Path.of("/usr/include/rdma/rdma_cma.h"));
    boolean compiler = Files.exists(Path.of("/usr/bin/cc"));
    String needed = "needs gcc, libibverbs-dev and librdmacm-dev";
    if (!(headers && compiler) && "true".equals(System.getenv("CI"))) {
      fail("CI must have what this test needs: " + needed);
    }
    assumeTrue(headers && compiler, needed);
    String program = directory.resolve("layouts").toString();
    run("cc", "src/test/c/layouts.c", "-o", program);
    CTable table = new CTable();
    for (String line : run(program).split("\n", -1)) {
      int blank = line.lastIndexOf(' ');
      if (blank > 0) {
        table.values.put(line.substring(0, blank), Long.valueOf(line.substring(blank + 1)));
      }
    }
    return table;
  }

  private static String run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  /** Ours must be what C says. */
  public CTable says(String name, long ours) {
    assertThat(values).containsKey(name);
    assertThat(ours).as(name).isEqualTo(values.get(name));
    return this;
  }

  /** What C says. */
  public long value(String name) {
    assertThat(values).containsKey(name);
    return values.get(name);
  }
}
