package org.slipstream.benchmarks.jcstress;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs all stress tests for about a minute, in JVMs of their own. */
public final class QuickRun {
  private static final String PACKAGE = QuickRun.class.getPackageName();

  private static final Pattern RESULTS =
      Pattern.compile("planned; (\\d+) passed, (\\d+) failed, (\\d+) soft errs, (\\d+) hard errs");

  private QuickRun() {}

  /**
   * Runs them.
   *
   * @param classPath with jcstress, this module and the core on it
   * @param directory receives results and {@code jcstress.log}
   * @param minutes how long it may take
   * @return what jcstress printed
   * @throws IOException it could not be started, took too long, or said that something failed
   * @throws InterruptedException while waiting
   */
  public static String run(String classPath, Path directory, int minutes)
      throws IOException, InterruptedException {
    Files.createDirectories(directory);
    Path log = directory.resolve("jcstress.log");
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            classPath,
            "org.openjdk.jcstress.Main",
            "-t",
            PACKAGE.replace(".", "\\."),
            "-m",
            "quick",
            "-f",
            "1",
            "-iters",
            "2",
            "-time",
            "300",
            "-sc",
            "false",
            "-jvmArgs",
            "-Xmx512m --enable-native-access=ALL-UNNAMED",
            "-v",
            "-r",
            directory.toString());
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      if (!process.waitFor(minutes, TimeUnit.MINUTES)) {
        throw new IOException("jcstress took more than " + minutes + " minutes; see " + log);
      }
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    String printed = Files.readString(log);
    if (process.exitValue() != 0 || !isClean(printed)) {
      throw new IOException("jcstress ended with " + process.exitValue() + ":\n" + printed);
    }
    return printed;
  }

  /** What could not run is a failure too; jcstress itself lets it pass as a "soft error". */
  private static boolean isClean(String printed) {
    Matcher m = RESULTS.matcher(printed);
    boolean clean = false;
    while (m.find()) {
      clean =
          !m.group(1).equals("0")
              && m.group(2).equals("0")
              && m.group(3).equals("0")
              && m.group(4).equals("0");
    }
    return clean;
  }

  /**
   * As {@link #run}, with the class path of this JVM.
   *
   * @param args the directory
   * @throws Exception something failed
   */
  public static void main(String[] args) throws Exception {
    System.out.println(run(System.getProperty("java.class.path"), Path.of(args[0]), 10));
  }
}
