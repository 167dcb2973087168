package org.slipstream.it.netty;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NettySuiteTest {
  @ParameterizedTest
  @ValueSource(strings = {"stock", "nioPlain", "nioShm", "ownPlain", "ownShm"})
  void suite(String name) throws Exception {
    String only = System.getProperty("rows", name);
    if (!only.contains(name)) return;
    NettyRow row = (NettyRow) NettyRow.class.getDeclaredMethod(name).invoke(null);
    String cl = System.getProperty("classes", "");
    long t = System.nanoTime();
    SuiteRun run =
        SuiteRun.of(row, SuiteRun.classes().stream().filter(c -> c.getName().matches(".*(" + cl + ").*")).toList());
    System.out.println("== " + row + " " + (System.nanoTime() - t) / 1000000000 + " s; connections "
        + row.connections() + " ring bytes " + row.ringBytes());
    for (SuiteRun.Outcome o : SuiteRun.Outcome.values()) System.out.println(o + " " + run.count(o));
    run.slowest().forEach(System.out::println);
    run.failures().forEach(f -> System.out.println("FAILURE " + f));
    assertThat(run.failures()).isEmpty();
  }
}
