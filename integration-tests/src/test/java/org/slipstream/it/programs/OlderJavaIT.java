package org.slipstream.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.programs.Launches.Program;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.Requirement;

/**
 * A Java that is older than Slipstream needs: the program runs on TCP, the tools end with a code of
 * their own, and each says one line. One flag in {@code JAVA_TOOL_OPTIONS} concerns every Java of a
 * machine.
 */
class OlderJavaIT {
  private static final int JAVA_8 = 52;
  private static final int TOO_OLD = 4;

  /** As programs were written then, and so that any Java from 8 on can run it. */
  private static final String PROGRAM =
      """
      import java.net.*;
      import java.nio.channels.*;

      public class OldProgram {
        public static void main(String[] args) throws Exception {
          ServerSocketChannel listener = ServerSocketChannel.open();
          listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
          SocketChannel.open(listener.getLocalAddress()).close();
          ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
          new Socket(server.getInetAddress(), server.getLocalPort()).close();
          System.out.println("done " + System.getProperty("slipstream.enabled"));
        }
      }
      """;

  @TempDir static Path classes;
  @RegisterExtension final Launches launches = new Launches();

  @BeforeAll
  static void compile() throws Exception {
    Path source = Files.writeString(classes.resolve("OldProgram.java"), PROGRAM);
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "--release",
                "8",
                "-Xlint:-options",
                "-d",
                classes.toString(),
                source.toString());
    assertThat(code).isZero();
  }

  private static List<OlderJava> javas() throws Exception {
    List<OlderJava> all = OlderJava.all();
    Requirement.require(
        !all.isEmpty(), "a Java older than 25, for example the package openjdk-17-jre-headless");
    return all;
  }

  private static String complaint(OlderJava java) {
    return "Slipstream needs Java 25 or newer; this is " + java.feature();
  }

  private static String[] command(OlderJava java, String... arguments) {
    List<String> command = new ArrayList<>(List.of(java.java().toString()));
    command.addAll(List.of(arguments));
    return command.toArray(String[]::new);
  }

  @Test
  void theProgramRunsOnTcpAndOneLineSaysWhy() throws Exception {
    for (OlderJava java : javas()) {
      Program program =
          launches.launch(
              new ProcessBuilder(
                  command(
                      java,
                      "-javaagent:" + Launches.AGENT,
                      "-cp",
                      classes.toString(),
                      "OldProgram")));
      program.await("done");
      program.end();
      assertThat(program.said().lines())
          .containsExactly(complaint(java) + ": connections stay on TCP");
    }
  }

  /** The environment of a whole machine, and a start script that has the flag already. */
  @Test
  void namedTwiceItIsStillOneLine() throws Exception {
    for (OlderJava java : javas()) {
      ProcessBuilder builder =
          new ProcessBuilder(
              command(
                  java, "-javaagent:" + Launches.AGENT, "-cp", classes.toString(), "OldProgram"));
      builder.environment().put("JAVA_TOOL_OPTIONS", "-javaagent:" + Launches.AGENT);
      Program program = launches.launch(builder);
      program.await("done");
      program.end();
      assertThat(program.said().lines().filter(line -> !line.startsWith("Picked up ")))
          .containsExactly(complaint(java) + ": connections stay on TCP");
    }
  }

  @Test
  void switchedOffItSaysNothing() throws Exception {
    for (OlderJava java : javas()) {
      Program program =
          launches.launch(
              new ProcessBuilder(
                  command(
                      java,
                      "-javaagent:" + Launches.AGENT + "=enabled=false",
                      "-cp",
                      classes.toString(),
                      "OldProgram")));
      assertThat(program.await("done")).isEqualTo("false");
      program.end();
      assertThat(program.said()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--version", "ps", "doctor", "off --all", "no-such-command"})
  void eachToolSaysOneLineAndEndsWithItsCode(String arguments) throws Exception {
    for (OlderJava java : javas()) {
      List<String> all = new ArrayList<>(List.of("-jar", Launches.AGENT.toString()));
      if (!arguments.isEmpty()) {
        all.addAll(List.of(arguments.split(" ", -1)));
      }
      Process process =
          new ProcessBuilder(command(java, all.toArray(String[]::new)))
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
      assertThat(said.lines()).containsExactly(complaint(java));
      assertThat(process.exitValue()).isEqualTo(TOO_OLD);
    }
  }

  /** Holds on machines without an older Java, too: what is entered, and all that it refers to. */
  @Test
  void whatTheJvmEntersIsCompiledForJava8AndRefersToNothingNewer() throws Exception {
    try (JarFile jar = new JarFile(Launches.AGENT.toFile())) {
      Deque<String> waiting = new ArrayDeque<>();
      for (String attribute : List.of("Main-Class", "Premain-Class")) {
        waiting.add(jar.getManifest().getMainAttributes().getValue(attribute).replace('.', '/'));
      }
      // A new way in has to be added here.
      assertThat(jar.getManifest().getMainAttributes().keySet())
          .noneMatch(key -> key.toString().matches("Agent-Class|Launcher-Agent-Class"));
      Set<String> seen = new HashSet<>();
      while (!waiting.isEmpty()) {
        String name = waiting.remove();
        ZipEntry entry = jar.getEntry(name + ".class");
        if (entry == null || !seen.add(name)) {
          assertThat(seen.contains(name) || name.startsWith("java/")).as(name).isTrue();
          continue;
        }
        try (InputStream in = jar.getInputStream(entry)) {
          ClassModel model = ClassFile.of().parse(in.readAllBytes());
          assertThat(model.majorVersion()).as(name).isEqualTo(JAVA_8);
          model
              .constantPool()
              .iterator()
              .forEachRemaining(e -> {
                if (e instanceof ClassEntry c) {
                  waiting.add(c.asInternalName().replaceFirst("^\\[+L?", "").replace(";", ""));
                }
              });
        }
      }
      assertThat(seen).hasSize(3);
    }
  }
}
