package org.slipstream.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the build says at its end of the tests that it skipped and of the time that they took. */
class BuildReportTest {
  private static final Path PROGRAM = Path.of("../config/BuildReport.java").toAbsolutePath();

  /** Of a project whose only module is {@code part}. */
  @TempDir private Path root;

  private Path reports;

  @BeforeEach
  void makeFolders() throws Exception {
    reports = Files.createDirectories(root.resolve("part/target/surefire-reports"));
  }

  private void report(String... tests) throws Exception {
    Files.writeString(
        reports.resolve("TEST-a.b.SomeTest.xml"),
        "<testsuite name='a.b.SomeTest' time='1,003.5'>"
            + String.join(System.lineSeparator(), tests)
            + "</testsuite>");
  }

  private static String skipped(String name, String attributes, String text) {
    return "<testcase name='"
        + name
        + "' time='0'><skipped "
        + attributes
        + "><![CDATA["
        + text
        + "]]></skipped></testcase>";
  }

  private List<String> run(String... arguments) throws Exception {
    Path out = root.resolve("out");
    ProcessBuilder java =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            PROGRAM.toString());
    java.command().addAll(List.of(arguments));
    int exit =
        java.directory(root.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start()
            .waitFor();
    assertThat(exit).as(Files.readString(out)).isZero();
    return Files.readAllLines(out);
  }

  @Test
  void saysOneLineForEachReason() throws Exception {
    String aborted = "type='org.opentest4j.TestAbortedException'";
    String trace =
        System.lineSeparator() + "\tat org.junit.Assumptions.throwIt(Assumptions.java:1)";
    report(
        "<testcase name='passes' time='0.5'/>",
        skipped("said", "message='Assumption failed: a C compiler'", ""),
        skipped("whole", "message='org.opentest4j.Aborted: Assumption failed: a C compiler'", ""),
        skipped("disabled", "message='see here: later'", ""),
        skipped(
            "traced",
            aborted,
            "org.opentest4j.TestAbortedException: Assumption failed: root: for namespaces" + trace),
        skipped("own", aborted, "org.opentest4j.TestAbortedException: two cores" + trace),
        skipped("silent", aborted, "org.opentest4j.TestAbortedException" + trace));
    Path missing = Files.createDirectories(root.resolve("part/target/skipped-tests"));
    Files.write(missing.resolve("1.txt"), List.of("QEMU", "a C compiler"));
    assertThat(run("skipped"))
        .containsExactly(
            "Skipped: all of a class: QEMU",
            "Skipped: SomeTest.silent: (no reason)",
            "Skipped: SomeTest.said and 1 more: a C compiler",
            "Skipped: SomeTest.traced: root: for namespaces",
            "Skipped: SomeTest.disabled: see here: later",
            "Skipped: SomeTest.own: two cores");
  }

  @Test
  void addsUpWhatTestsTook() throws Exception {
    report("<testcase name='passes' time='0.5'/>");
    Path cpu = Files.createDirectories(root.resolve("part/target/cpu-seconds"));
    Files.write(cpu.resolve("a.b.SomeTest"), List.of("3.52"));
    Files.write(cpu.resolve("a.b.Other"), List.of("7.00"));
    assertThat(run())
        .contains("| part | test | 1 | 1 | 16.7 | 4 |", "| SomeTest | 1004 | 3.5 |")
        .noneMatch(line -> line.contains("Skipped"));
  }
}
