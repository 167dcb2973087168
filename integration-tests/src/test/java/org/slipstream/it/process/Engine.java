package org.slipstream.it.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Requirement.require;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The container engine of the tests: the newcomer's own; CI installs and starts one. Without one
 * the tests are skipped with the reason, but not in CI. What was started goes with this JVM and not
 * with a class: the client keeps connections to its engine, and the next class would be given them.
 */
final class Engine implements BeforeAllCallback {
  /** Names any image with the C library of this machine's kind: the JDK is mounted. */
  static final String PROPERTY = "slipstream.it.image";

  private static final String OWN_IMAGE = "slipstream-it:local";
  private static final Path SCRIPTS = Path.of("containers").toAbsolutePath();

  private record Outcome(int code, String output) {}

  @Override
  public void beforeAll(ExtensionContext context) throws Exception {
    if (!answers() && "true".equals(System.getenv("CI"))) {
      Outcome up = run(SCRIPTS.resolve("engine").toString(), "up");
      require(up.code == 0, "a container engine: " + up.output);
      Runtime.getRuntime().addShutdownHook(new Thread(Engine::down, "engine-down"));
    }
    require(answers(), "a container engine that answers 'docker version'");
    if (hasOwnImage()) {
      Outcome image = run(SCRIPTS.resolve("image").toString(), OWN_IMAGE);
      require(image.code == 0, "an image: " + image.output);
    }
  }

  private static void down() {
    try {
      Outcome down = run(SCRIPTS.resolve("engine").toString(), "down");
      if (down.code != 0) {
        System.err.println("The container engine did not go: " + down.output);
      }
    } catch (IOException e) {
      System.err.println("The container engine did not go: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static boolean hasOwnImage() {
    return image().equals(OWN_IMAGE);
  }

  static String image() {
    return System.getProperty(PROPERTY, OWN_IMAGE);
  }

  /** Runs a command of the engine, which must succeed, and returns what it said. */
  static String docker(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("docker"));
    command.addAll(List.of(arguments));
    Outcome outcome = run(command.toArray(String[]::new));
    assertThat(outcome.code).as(outcome.output).isZero();
    return outcome.output;
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
