package org.slipstream.it.programs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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
          "org.slipstream.agent.FactoryGuard",
          "org.slipstream.agent.OpenedPackages",
          "org.slipstream.agent.Preparation",
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

  /** Classes that the program's thread has to wait for at its first connection. */
  private static final int MOST_WAITED_FOR = 12;

  /** Most of them only the verifier asks for, which looks at no class of the boot loader. */
  private static final int MOST_MISSING = 24;

  /** Classes that it loads though the first connection does not need them, its exchange perhaps. */
  private static final int MOST_UNNEEDED = 40;

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

  /** A class that was loaded: by which thread, and from where. */
  private record Loaded(String thread, String name, String source) {
    static Loaded of(String line) {
      Matcher parts = Pattern.compile("\\[(\\d+)] (\\S+) source: (.*)").matcher(line.strip());
      assertThat(parts.matches()).as(line).isTrue();
      return new Loaded(parts.group(1), parts.group(2), parts.group(3));
    }
  }

  private static List<String> names(List<Loaded> classes) {
    return classes.stream().map(Loaded::name).toList();
  }

  /** The names of the classes that a JVM loads before the one of that name, in order. */
  private List<String> loadedBefore(Class<?> moment, List<String> flags, String kind)
      throws Exception {
    return names(before(moment, flags, kind));
  }

  /** The same, but only those that the program has to wait for: loaded by its own thread. */
  private List<String> loadedByMainBefore(Class<?> moment, List<String> flags, String... words)
      throws Exception {
    List<Loaded> all = before(moment, flags, words);
    String main = all.getFirst().thread;
    return names(all.stream().filter(each -> each.thread.equals(main)).toList());
  }

  /**
   * Runs the program.
   *
   * @param words the kind of socket, and perhaps the thread for whose end it waits
   */
  private List<Loaded> before(Class<?> moment, List<String> flags, String... words)
      throws Exception {
    Path log = launches.home().resolve("classes.log");
    List<String> all = new ArrayList<>(flags);
    all.add("-Xlog:class+load:file=" + log + ":tid");
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      all.addAll(List.of("-cp", Launches.classPath() + File.pathSeparator + Launches.AGENT));
      all.add(FirstConnect.class.getName());
      all.add(words[0]);
      all.add(Integer.toString(server.getLocalPort()));
      all.addAll(List.of(words).subList(1, words.length));
      Program program = launches.java(all);
      program.await("connected");
      program.end();
    }
    List<Loaded> loaded =
        Files.readAllLines(log).stream()
            .filter(line -> line.contains(" source: "))
            .map(Loaded::of)
            .toList();
    assertThat(names(loaded)).contains(moment.getName());
    return loaded.subList(0, names(loaded).indexOf(moment.getName()));
  }

  private static List<String> ours(List<String> names) {
    return names.stream()
        .filter(n -> n.startsWith("org.slipstream.") && !n.startsWith("org.slipstream.it."))
        .toList();
  }

  @Test
  void beforeMainTheAgentLoadsItselfAndNothingElse() throws Exception {
    List<String> loaded = loadedByMainBefore(FirstConnect.class, launches.agent(), "channel");
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
      List<Loaded> loaded = before(FirstConnect.Connected.class, launches.agent(), kind);
      assertThat(ours(names(loaded)))
          .hasSizeGreaterThan(150)
          .noneMatch(name -> name.contains("$$Lambda"));
      assertThat(loaded)
          .filteredOn(each ->
              each.name.startsWith("org.slipstream.")
                  && !each.name.startsWith("org.slipstream.it.")
                  && !each.name.matches("org\\.slipstream\\.(agent\\.JdkGate|provider\\.jdk\\.).*"))
          .allMatch(each -> each.source.equals(Launches.AGENT.toString()));
    }
  }

  /** What the agent's thread loads beside the start of the program, by their names. */
  private static Set<String> prepared() throws Exception {
    URL[] jar = {Launches.AGENT.toUri().toURL()};
    Set<String> names = new TreeSet<>();
    try (URLClassLoader loader = new URLClassLoader(jar, ClassLoader.getPlatformClassLoader())) {
      Field list =
          loader.loadClass("org.slipstream.agent.FirstSocketClasses").getDeclaredField("NAMES");
      list.setAccessible(true);
      for (String line : ((String) list.get(null)).lines().toList()) {
        String[] words = line.split(":? ", -1);
        Stream.of(words).skip(1).forEach(word -> names.add(words[0] + "." + word));
      }
      for (String name : names) { // fails if there is none
        assertThat(Class.forName(name, false, loader).getName()).isEqualTo(name);
      }
    }
    return names;
  }

  /** An agent of another name prepares nothing, so its program loads them when it needs them. */
  @Test
  void theClassesOfTheFirstConnectionAreThoseThatAreLoadedBesideTheStart() throws Exception {
    Path other = launches.home().resolve("other.jar");
    Files.copy(Launches.AGENT, other);
    Set<String> needed = new TreeSet<>();
    for (String kind : List.of("channel", "socket")) {
      List<String> flags =
          List.of("-javaagent:" + other, "-Dslipstream.dir=" + launches.directory());
      List<Loaded> main = before(FirstConnect.class, flags, kind);
      List<Loaded> all = before(FirstConnect.Connected.class, flags, kind);
      // Of ours only: to verify them, as is done there, the JVM loads more of the JDK's.
      needed.addAll(
          ours(names(all.stream().filter(each -> each.source.startsWith("file:")).toList())));
      names(main).forEach(needed::remove);
    }
    Set<String> prepared = prepared();
    assertThat(needed).hasSizeGreaterThan(150);
    Set<String> missing = new TreeSet<>(needed);
    missing.removeAll(prepared);
    Set<String> unneeded = new TreeSet<>(ours(List.copyOf(prepared)));
    unneeded.removeAll(needed);
    // The control thread is faster or slower each time.
    assertThat(missing).as("missing in FirstSocketClasses").hasSizeLessThanOrEqualTo(MOST_MISSING);
    assertThat(unneeded).as("not needed in it").hasSizeLessThanOrEqualTo(MOST_UNNEEDED);
  }

  @Test
  void theFirstConnectionWaitsForFewClasses() throws Exception {
    List<String> loaded =
        loadedByMainBefore(
            FirstConnect.Connected.class, launches.agent(), "channel", "slipstream-prepare");
    assertThat(ours(loaded)).hasSizeLessThanOrEqualTo(BEFORE_MAIN.size() + MOST_WAITED_FOR);
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
