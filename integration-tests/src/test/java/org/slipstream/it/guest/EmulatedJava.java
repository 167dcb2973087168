package org.slipstream.it.guest;

import java.nio.file.Path;

/**
 * A Java for a processor that this machine does not have. Its programs run in QEMU's user mode, so
 * files, sockets, shared memory and threads are this machine's, and so is the order of its memory:
 * what a weaker order would show is not seen. What is seen: numbers of system calls, constants,
 * layouts, and the code that the JVM makes there.
 */
public final class EmulatedJava {
  private static final Path SCRIPT = Path.of("emulated", "java-home").toAbsolutePath();

  /** As Debian names it; {@code ppc64el} and {@code riscv64} are tried by hand. */
  private static final String PROCESSOR =
      System.getProperty("slipstream.emulated.processor", "arm64");

  private EmulatedJava() {}

  /**
   * Makes one if there is none; skips the test on a machine that can not, but not in CI.
   *
   * @return its home; {@code bin/java} starts it like any other
   */
  public static Path home() throws Exception {
    return home(PROCESSOR, 25);
  }

  /**
   * As the other one, of a processor and a release. This machine's own processor is emulated, too:
   * the C library that such a Java needs may be newer than this machine's.
   */
  public static Path home(String processor, int release) throws Exception {
    String what = "Java " + release + " of " + processor;
    return Path.of(Guest.make(what, SCRIPT, processor, Integer.toString(release)));
  }
}
