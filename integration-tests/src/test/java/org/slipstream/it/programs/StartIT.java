package org.slipstream.it.programs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.programs.Launches.Program;

/**
 * What a program pays for before its {@code main} and before its first connection is there: classes
 * that are loaded, which is what takes the time, and which no other load of the machine changes.
 */
class StartIT {
  /** What the agent needs before {@code main}: a new class here costs every program. */
  private static final List<String> BEFORE_MAIN =
      List.of(
          "org.slipstream.agent.BroughtTransports",
          "org.slipstream.agent.Bytecode",
          "org.slipstream.agent.FactoryGuard",
          "org.slipstream.agent.JdkGate", // the one that is seen, and the one that is defined
          "org.slipstream.agent.JdkGate",
          "org.slipstream.agent.JdkGate$Loader",
          "org.slipstream.agent.OpenedPackages",
          "org.slipstream.agent.OpenedPackages$Opened",
          "org.slipstream.agent.Prologue",
          "org.slipstream.agent.Prologue$Output",
          "org.slipstream.agent.SlipstreamAgent",
          "org.slipstream.agent.SlipstreamAgent$WhenStarted",
          "org.slipstream.agent.launch.AgentLauncher",
          "org.slipstream.provider.older.RunningJava",
          "org.slipstream.core.config.HostSettings",
          "org.slipstream.provider.net.SlipstreamSocketFactory",
          "org.slipstream.provider.net.SocketFactories",
          "org.slipstream.provider.nio.Installation",
          "org.slipstream.provider.nio.JdkAccess",
          "org.slipstream.provider.nio.JdkAccess$Gate",
          "org.slipstream.transport.Platform");

  /**
   * Classes of ours when the first connection is there, lambdas included. The control thread opens
   * the transports meanwhile: 170 if it has not begun, 206 if it is ready, when this was set.
   */
  private static final int MOST_BEFORE_CONNECTED = 230;

  /** Each of these begins with tens of classes, and none is needed to connect. */
  private static final List<String> NOT_BEFORE_CONNECTED =
      List.of(
          "java.lang.StackStreamFactory$StackFrameBuffer",
          "java.security.SecureRandom",
          "java.util.concurrent.ThreadPoolExecutor",
          "java.util.logging.",
          "java.util.regex.",
          "jdk.internal.logger.",
          "jdk.jfr.internal.",
          "java.lang.management.",
          "sun.security.provider.");

  /** What a young process runs through. */
  private static final Pattern DATA_PATH =
      Pattern.compile("org/slipstream/(core|provider|shm|transport)/.*\\.class");

  @RegisterExtension final Launches launches = new Launches();

  /** The names of the classes that a JVM loads before the one of that name, in order. */
  private List<String> loadedBefore(Class<?> moment, List<String> flags, String kind)
      throws Exception {
    Path log = launches.home().resolve("classes.log");
    List<String> all = new ArrayList<>(flags);
    all.add("-Xlog:class+load:file=" + log + ":none");
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      all.addAll(List.of("-cp", Launches.classPath() + File.pathSeparator + Launches.AGENT));
      all.add(FirstConnect.class.getName());
      all.addAll(List.of(kind, Integer.toString(server.getLocalPort())));
      Program program = launches.java(all);
      program.await("connected");
      program.end();
    }
    List<String> names =
        Files.readAllLines(log).stream()
            .map(line -> line.replaceFirst(" source:.*", "").strip())
            .toList();
    assertThat(names).contains(moment.getName());
    return names.subList(0, names.indexOf(moment.getName()));
  }

  private static List<String> ours(List<String> names) {
    return names.stream()
        .filter(n -> n.startsWith("org.slipstream.") && !n.startsWith("org.slipstream.it."))
        .toList();
  }

  @Test
  void beforeMainTheAgentLoadsItselfAndNothingElse() throws Exception {
    List<String> loaded = loadedBefore(FirstConnect.class, launches.agent(), "channel");
    assertThat(ours(loaded)).containsExactlyInAnyOrderElementsOf(BEFORE_MAIN);
    assertThat(loaded).filteredOn(StartIT::isForbidden).isEmpty();
    assertThat(loaded).noneMatch(n -> n.startsWith("sun.net.www.protocol.jar.JarFileFactory"));
  }

  @Test
  void beforeMainTheSelectorProviderLoadsNothing() throws Exception {
    assertThat(ours(loadedBefore(FirstConnect.class, provider(), "channel"))).isEmpty();
  }

  /** Named by the property, without the agent. */
  private List<String> provider() {
    return List.of(
        "-Dslipstream.dir=" + launches.directory(),
        "-Djava.nio.channels.spi.SelectorProvider"
            + "=org.slipstream.provider.nio.SlipstreamSelectorProvider");
  }

  @ParameterizedTest
  @ValueSource(strings = {"channel", "socket"})
  void beforeTheFirstConnectionIsThereWhatItDoesNotNeedIsNotLoaded(String kind) throws Exception {
    List<String> loaded = loadedBefore(FirstConnect.Connected.class, launches.agent(), kind);
    assertThat(ours(loaded)).hasSizeLessThanOrEqualTo(MOST_BEFORE_CONNECTED);
    assertThat(ours(loaded)).contains("org.slipstream.core.session.SlipstreamCore");
    assertThat(loaded).filteredOn(StartIT::isForbidden).isEmpty();
  }

  /**
   * Verified before they are run, found through the program's class path: ten times as slow. But
   * for the few to which packages of the JDK are opened.
   */
  @Test
  void theBootLoaderLoadsTheAgentAndNoneOfItsLambdasIsMadeAtRunTime() throws Exception {
    for (String kind : List.of("channel", "socket")) {
      loadedBefore(FirstConnect.Connected.class, launches.agent(), kind);
      List<String> ours =
          Files.readAllLines(launches.home().resolve("classes.log")).stream()
              .filter(n -> n.startsWith("org.slipstream.") && !n.startsWith("org.slipstream.it."))
              .toList();
      assertThat(ours).hasSizeGreaterThan(150).noneMatch(line -> line.contains("$$Lambda"));
      assertThat(ours)
          .filteredOn(
              line -> !line.matches("org\\.slipstream\\.(agent\\.JdkGate|provider\\.jdk\\.).*"))
          .allMatch(line -> line.endsWith(" source: " + Launches.AGENT));
    }
  }

  @Test
  void anAgentThatWasRenamedWorksAndSaysThatItCostsMore() throws Exception {
    for (String name : List.of("slipstream.jar", "agent-1.0-all.jar")) {
      Path agent = Files.createDirectory(launches.home().resolve("of " + name)).resolve(name);
      Files.copy(Launches.AGENT, agent);
      try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
        Program program =
            launches.start(
                List.of("-javaagent:" + agent, "-Dslipstream.dir=" + launches.directory()),
                FirstConnect.class,
                "socket",
                Integer.toString(server.getLocalPort()));
        program.await("connected");
        program.end();
        if (name.equals("slipstream.jar")) {
          assertThat(program.said()).isEmpty();
        } else {
          assertThat(program.said()).startsWith("slipstream: SL008: ").contains("slipstream.jar");
        }
      }
    }
  }

  /** The command line of a program with the agent. */
  private ProcessBuilder command(ServerSocket server, String... flags) {
    List<String> command = new ArrayList<>(List.of(Launches.JAVA, "-XX:+UseSerialGC"));
    command.addAll(launches.agent());
    command.addAll(List.of(flags));
    command.addAll(List.of("-cp", programs().toString()));
    command.addAll(
        List.of(FirstConnect.class.getName(), "socket", Integer.toString(server.getLocalPort())));
    return new ProcessBuilder(command);
  }

  /** A jar, because no cache takes classes of a directory. */
  private Path programs() {
    Path jar = launches.home().resolve("programs.jar");
    if (!Files.exists(jar)) {
      try {
        Jars.write(jar, "", Map.of());
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
    return jar;
  }

  @Test
  void anAotCacheWorksWithTheAgentAndHoldsOurClassesAndOneThatDoesNotFitIsIgnored()
      throws Exception {
    Path cache = launches.home().resolve("program.aot");
    Path log = launches.home().resolve("classes.log");
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      ProcessBuilder training = command(server, "-XX:AOTCacheOutput=" + cache, "-Xlog:aot=off");
      training.environment().put("JDK_AOT_VM_OPTIONS", "-Xbootclasspath/a:" + Launches.AGENT);
      launches.launch(training).end();
      assertThat(cache).isNotEmptyFile();

      Program cached =
          launches.launch(
              command(
                  server,
                  "-XX:AOTCache=" + cache,
                  "-Xlog:aot=off",
                  "-Xlog:class+load:file=" + log + ":none"));
      cached.end();
      assertThat(cached.said()).isEmpty();
      List<String> loaded = Files.readAllLines(log);
      assertThat(loaded)
          .anyMatch(line ->
              line.startsWith("org.slipstream.core.session.SlipstreamCore ")
                  && line.contains("shared objects file"));
      assertThat(loaded) // the agent has changed it
          .anyMatch(
              line -> line.startsWith("java.net.Socket ") && !line.contains("shared objects file"));
      assertThat(loaded) // the URL handlers, which read a class as a resource
          .noneMatch(line -> line.startsWith("sun.net.www.protocol.jar.JarFileFactory "));

      Files.write(cache, new byte[100_000]);
      Program alone = launches.launch(command(server, "-XX:AOTCache=" + cache, "-Xlog:aot=off"));
      alone.await("connected");
      alone.end();
      assertThat(alone.said()).isEmpty();
    }
  }

  private static boolean isForbidden(String name) {
    return NOT_BEFORE_CONNECTED.stream().anyMatch(name::startsWith);
  }

  /**
   * A switch over patterns, or over an enum with a case for null, is linked when it is first
   * passed, by the JDK's writer of classes: a hundred classes, and tens of milliseconds.
   */
  @Test
  void noSwitchOfTheDataPathIsLinkedAtRunTime() throws Exception {
    List<String> found = new ArrayList<>();
    try (ZipFile jar = new ZipFile(System.getProperty("slipstream.jar"))) {
      for (ZipEntry entry : Collections.list(jar.entries())) {
        if (DATA_PATH.matcher(entry.getName()).matches()) {
          byte[] content = jar.getInputStream(entry).readAllBytes();
          if (new String(content, ISO_8859_1).contains("java/lang/runtime/SwitchBootstraps")) {
            found.add(entry.getName());
          }
        }
      }
    }
    assertThat(found).isEmpty();
  }
}
