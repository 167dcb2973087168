package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The container engine of the tests: the newcomer's own; CI installs and starts one. Without one
 * the tests are skipped with the reason, but not in CI.
 */
final class Engine implements BeforeAllCallback, AfterAllCallback {
  /** Any image with the C library of this machine's kind will do: the JDK is mounted. */
  private static final String IMAGE = System.getProperty("slipstream.it.image", "");

  private static final String OWN_IMAGE = "slipstream-it:local";
  private static final Path SCRIPTS = Path.of("containers").toAbsolutePath();

  private boolean started;

  private record Outcome(int code, String output) {}

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    if (!answers() && "true".equals(System.getenv("CI"))) {
      Outcome up = run(SCRIPTS.resolve("engine").toString(), "up");
      require(up.code == 0, "a container engine: " + up.output);
      started = true;
    }
    require(answers(), "a container engine that answers 'docker version'");
    if (IMAGE.isEmpty()) {
      Outcome image = run(SCRIPTS.resolve("image").toString(), OWN_IMAGE);
      require(image.code == 0, "an image: " + image.output);
    }
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    if (started) {
      Outcome down = run(SCRIPTS.resolve("engine").toString(), "down");
      assertThat(down.code).as(down.output).isZero();
    }
  }

  static boolean hasOwnImage() {
    return IMAGE.isEmpty();
  }

  static String image() {
    return IMAGE.isEmpty() ? OWN_IMAGE : IMAGE;
  }

  private static boolean answers() throws InterruptedException {
    try {
      return run("docker", "version").code == 0;
    } catch (IOException e) {
      return false; // there is no such command
    }
  }

  private static Outcome run(String... command) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of(command));
    Process process =
        new ProcessBuilder(words)
            .redirectErrorStream(true)
            .redirectInput(Path.of("/dev/null").toFile())
            .start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    return new Outcome(process.waitFor(), output);
  }
}
