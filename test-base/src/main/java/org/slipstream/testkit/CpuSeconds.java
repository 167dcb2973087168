package org.slipstream.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Writes down how much processor time each test class took, with that of the processes that it
 * started and that have ended; {@code config/BuildReport.java} reads it. JUnit finds it by {@link
 * java.util.ServiceLoader}; tests do not name it. Unlike the time that a class takes, it says what
 * the class costs on a machine that does other work too.
 */
public final class CpuSeconds implements BeforeAllCallback, AfterAllCallback {
  private static final Path STAT = Path.of("/proc/self/stat");
  private static final Path TARGET = Path.of("target");
  private static final Namespace NAMESPACE = Namespace.create(CpuSeconds.class);

  /** Of {@code times(2)}; Linux shows no other to programs. */
  private static final double TICKS_PER_SECOND = 100;

  /** utime, stime, cutime, cstime, counted from the state, which follows the name. */
  private static final int FIRST_FIELD = 11;

  private static final int LAST_FIELD = 14;

  /** Made by JUnit. */
  public CpuSeconds() {}

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    if (isCounted(context)) {
      context.getStore(NAMESPACE).put("start", ticks(Files.readString(STAT)));
    }
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    Long start = context.getStore(NAMESPACE).get("start", Long.class);
    if (start != null) {
      double seconds = (ticks(Files.readString(STAT)) - start) / TICKS_PER_SECOND;
      Path folder = Files.createDirectories(TARGET.resolve("cpu-seconds"));
      Files.writeString(
          folder.resolve(context.getRequiredTestClass().getName()),
          String.format(Locale.ROOT, "%.2f%n", seconds));
    }
  }

  /** A nested class is a part of its outermost one. In a virtual machine there is no module. */
  private static boolean isCounted(ExtensionContext context) {
    return !context.getRequiredTestClass().isMemberClass()
        && Files.isReadable(STAT)
        && Files.isDirectory(TARGET);
  }

  /** Of this process and of the children that it has waited for. */
  static long ticks(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long ticks = 0;
    for (int i = FIRST_FIELD; i <= LAST_FIELD; i++) {
      ticks += Long.parseLong(fields[i]);
    }
    return ticks;
  }
}
