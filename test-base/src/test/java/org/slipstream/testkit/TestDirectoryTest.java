package org.slipstream.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Nothing of a test stays in shared memory. */
class TestDirectoryTest {

  /** What the other JVM does before it is killed. */
  public static void main(String[] args) throws Exception {
    TestDirectory directory = TestDirectory.create();
    Files.writeString(directory.path().resolve("file"), "left behind");
    System.out.println(directory.path());
    Thread.sleep(Long.MAX_VALUE);
  }

  private static Process other() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            TestDirectoryTest.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  @Test
  void itGoesWhenItIsClosed() throws Exception {
    TestDirectory directory = TestDirectory.create();
    Path inside = Files.createDirectory(directory.path().resolve("inside"));
    Files.writeString(inside.resolve("file"), "content");
    directory.close();
    assertThat(directory.path()).doesNotExist();
    directory.close();
  }

  @Test
  void itGoesWithASignal() throws Exception {
    Process process = other();
    Path theirs = Path.of(process.inputReader().readLine());
    assertThat(theirs.resolve("file")).exists();
    process.destroy();
    process.waitFor();
    assertThat(theirs).doesNotExist();
  }

  @Test
  void thatOfAKilledProcessGoesBeforeTheNextIsMade() throws Exception {
    Process process = other();
    Path theirs = Path.of(process.inputReader().readLine());
    process.destroyForcibly().waitFor();
    assertThat(theirs).exists();
    TestDirectory.create().close();
    assertThat(theirs).doesNotExist();
  }

  @Test
  void thatOfALivingProcessStays() throws Exception {
    Process process = other();
    try {
      Path theirs = Path.of(process.inputReader().readLine());
      TestDirectory.create().close();
      assertThat(theirs.resolve("file")).exists();
    } finally {
      process.destroy();
      process.waitFor();
    }
  }
}
