package org.slipstream.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The Dockerfile of the packages adds the agent to an image; the image is that of the tests. */
class DockerfileIT {
  private static final Path DOCKERFILE = Path.of("../packaging/src/docker/Dockerfile");

  @RegisterExtension static final Engine ENGINE = new Engine();

  @Test
  void everyJvmOfTheImageStartsWithTheAgent(@TempDir Path context) throws Exception {
    Files.copy(DOCKERFILE, context.resolve("Dockerfile"));
    Files.copy(Children.JAR, context.resolve("slipstream.jar"));
    String image = "slipstream-it-dockerfile:local";
    Engine.docker(
        "build",
        "--network=none",
        "--build-arg=BASE=" + Engine.image(),
        "--tag=" + image,
        context.toString());
    try {
      assertThat(provider(image)).contains("-javaagent:/opt/slipstream/slipstream.jar");
      assertThat(provider(image).lines().toList().getLast()).startsWith("org.slipstream.provider.");
      assertThat(provider(Engine.image())).as("without").startsWith("sun.nio.ch.");
    } finally {
      Engine.docker("rmi", image);
    }
  }

  /** What a program in a container says of its channels; the JDK is mounted. */
  private static String provider(String image) throws Exception {
    return Engine.docker(
        "run",
        "--rm",
        "--network=none",
        "--volume=" + System.getProperty("java.home") + ":/opt/jdk:ro",
        "--volume=" + Children.classes() + ":/opt/classes:ro",
        image,
        "/opt/jdk/bin/java",
        "-XX:TieredStopAtLevel=1",
        "-cp",
        "/opt/classes",
        ScriptIT.Program.class.getName(),
        "0");
  }
}
