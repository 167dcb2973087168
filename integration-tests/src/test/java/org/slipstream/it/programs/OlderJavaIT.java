package org.slipstream.it.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
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
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.it.guest.EmulatedJava;
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
  private static final String CODE = "slipstream: SL002: ";
  private static final String PROVIDER = "org.slipstream.provider.nio.SlipstreamSelectorProvider";
  private static final String PROPERTY = "-Djava.nio.channels.spi.SelectorProvider=" + PROVIDER;

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

  /** Channels of each kind in one selector, which takes them only if they are of its provider. */
  private static final String SELECTING =
      """
      import java.lang.reflect.Method;
      import java.net.*;
      import java.nio.ByteBuffer;
      import java.nio.channels.*;
      import java.nio.channels.spi.SelectorProvider;
      import java.util.Arrays;

      public class OldSelecting {
        /** Java 15 and newer open a channel of a family that is named. */
        static void families() throws Exception {
          for (Method open : SocketChannel.class.getMethods()) {
            if (open.getName().equals("open")
                && Arrays.equals(open.getParameterTypes(), new Class<?>[] {ProtocolFamily.class})) {
              for (StandardProtocolFamily family : StandardProtocolFamily.values()) {
                if (family == StandardProtocolFamily.INET6) {
                  continue; // not every machine has it
                }
                ((SocketChannel) open.invoke(null, family)).close();
                Method listen = ServerSocketChannel.class.getMethod("open", ProtocolFamily.class);
                ((ServerSocketChannel) listen.invoke(null, family)).close();
              }
            }
          }
        }

        public static void main(String[] args) throws Exception {
          families();
          Selector selector = Selector.open();
          ServerSocketChannel listener = ServerSocketChannel.open();
          listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
          listener.configureBlocking(false);
          listener.register(selector, SelectionKey.OP_ACCEPT);
          DatagramChannel datagrams = DatagramChannel.open();
          datagrams.configureBlocking(false);
          datagrams.register(selector, SelectionKey.OP_READ);
          Pipe pipe = Pipe.open();
          pipe.source().configureBlocking(false);
          pipe.source().register(selector, SelectionKey.OP_READ);
          pipe.sink().write(ByteBuffer.wrap(new byte[7]));
          SocketChannel client = SocketChannel.open(listener.getLocalAddress());
          client.write(ByteBuffer.wrap(new byte[5]));
          int bytes = 0;
          while (bytes < 12) {
            selector.select();
            for (SelectionKey key : selector.selectedKeys()) {
              if (key.isAcceptable()) {
                SocketChannel accepted = listener.accept();
                accepted.configureBlocking(false);
                accepted.register(selector, SelectionKey.OP_READ);
              } else {
                bytes += ((ReadableByteChannel) key.channel()).read(ByteBuffer.allocate(99));
              }
            }
            selector.selectedKeys().clear();
          }
          System.out.println("done " + SelectorProvider.provider().getClass().getSimpleName());
        }
      }
      """;

  /** An echo, and a client that compares what comes back. Both live until their input ends. */
  private static final String TALKER =
      """
      import java.io.*;
      import java.net.*;
      import java.util.Arrays;

      public class OldTalker {
        public static void main(String[] args) throws Exception {
          if (args[0].equals("server")) {
            final ServerSocket server = new ServerSocket(0, 9, InetAddress.getLoopbackAddress());
            System.out.println("ready " + server.getLocalPort());
            Thread echo = new Thread() {
              @Override public void run() {
                try {
                  Socket s = server.accept();
                  byte[] buffer = new byte[4096];
                  int n;
                  while ((n = s.getInputStream().read(buffer)) > 0) {
                    s.getOutputStream().write(buffer, 0, n);
                  }
                } catch (IOException e) {
                  System.err.println(e);
                }
              }
            };
            echo.setDaemon(true);
            echo.start();
          } else {
            Socket s = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1]));
            DataInputStream in = new DataInputStream(s.getInputStream());
            byte[] back = new byte[2000];
            for (int i = 0; i < 300; i++) {
              byte[] data = new byte[back.length];
              Arrays.fill(data, (byte) i);
              s.getOutputStream().write(data);
              in.readFully(back);
              if (!Arrays.equals(data, back)) {
                throw new IOException("round " + i + " came back changed");
              }
              Thread.sleep(1);
            }
            System.out.println("done " + s.getLocalPort());
          }
          while (System.in.read() >= 0) {}
          System.exit(0);
        }
      }
      """;

  @TempDir static Path classes;
  @RegisterExtension final Launches launches = new Launches();

  @BeforeAll
  static void compile() throws Exception {
    for (String program : List.of(PROGRAM, SELECTING, TALKER)) {
      String name = program.replaceFirst("(?s).*public class (\\w+).*", "$1");
      Path source = Files.writeString(classes.resolve(name + ".java"), program);
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
      assertThat(code).as(name).isZero();
    }
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
      runsOnTcp(java);
    }
  }

  @Test
  void withThePropertyAloneChannelsAndSelectorsWorkAndOneLineSaysWhy() throws Exception {
    for (OlderJava java : javas()) {
      selectsOnTcp(java);
    }
  }

  /** The agent leads the program's flags, and a start script has the property. */
  @Test
  void withTheAgentAndThePropertyItIsOneLine() throws Exception {
    for (OlderJava java : javas()) {
      selectsOnTcp(java, "-javaagent:" + Launches.AGENT);
    }
  }

  private void selectsOnTcp(OlderJava java, String... flags) throws Exception {
    assertThat(select(java, flags).lines())
        .containsExactly(CODE + complaint(java) + ": connections stay on TCP");
  }

  /** What it says on standard error. */
  private String select(OlderJava java, String... flags) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(flags));
    arguments.addAll(
        List.of(PROPERTY, "-cp", classes + File.pathSeparator + Launches.AGENT, "OldSelecting"));
    Program program =
        launches.launch(new ProcessBuilder(command(java, arguments.toArray(String[]::new))));
    assertThat(program.await("done")).isEqualTo("SlipstreamSelectorProvider");
    program.end();
    return program.said();
  }

  /** The last release but one with long support, on machines that have none installed. */
  @Test
  void soDoesJava21AndAToolEndsWithItsCode() throws Exception {
    if (OlderJava.all().stream().anyMatch(java -> java.feature() == 21)) {
      return; // the other tests run it
    }
    Path home = EmulatedJava.home("amd64", 21);
    OlderJava java = new OlderJava(21, home.resolve("bin/java"));
    runsOnTcp(java);
    selectsOnTcp(java);
    assertOneLine(java, "-jar", Launches.AGENT.toString(), "ps");
  }

  private void runsOnTcp(OlderJava java) throws Exception {
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
        .containsExactly(CODE + complaint(java) + ": connections stay on TCP");
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
          .containsExactly(CODE + complaint(java) + ": connections stay on TCP");
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
      assertThat(select(java, "-Dslipstream.enabled=false")).isEmpty();
    }
  }

  /** An upgrade of the machine's Java goes host by host, and so do its restarts. */
  @Test
  void anOlderPeerAndOneWithSlipstreamTalkOverTcpWhicheverConnects() throws Exception {
    for (OlderJava java : javas()) {
      talk(older(java, "server"), port -> newer("client", port), "PEER_NOT_ACCELERATED");
      talk(newer("server", ""), port -> older(java, "client", port), "NOT_YET_ELIGIBLE");
    }
  }

  @Test
  void anAttachIsOneLineToo() throws Exception {
    for (OlderJava java : javas()) {
      Program server =
          launches.launch(
              new ProcessBuilder(command(java, "-cp", classes.toString(), "OldTalker", "server")));
      server.await("ready");
      Process attach =
          new ProcessBuilder(
                  Launches.JAVA,
                  "-jar",
                  Launches.AGENT.toString(),
                  "attach",
                  Long.toString(server.process().pid()))
              .redirectErrorStream(true)
              .start();
      String said = new String(attach.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(said)
          .isEqualTo(
              "process " + server.process().pid() + " stays as it was: " + complaint(java) + "\n");
      assertThat(attach.waitFor(Patience.DEADLINE)).isTrue();
      assertThat(attach.exitValue()).isEqualTo(1);
      server.end();
    }
  }

  /** How a test starts the end that connects. */
  @FunctionalInterface
  private interface Connecting {
    Program to(String port) throws Exception;
  }

  private Program older(OlderJava java, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of("-javaagent:" + Launches.AGENT, "-cp", classes.toString(), "OldTalker"));
    command.addAll(List.of(arguments));
    return launches.launch(new ProcessBuilder(command(java, command.toArray(String[]::new))));
  }

  private Program newer(String role, String port) throws Exception {
    List<String> arguments = new ArrayList<>(launches.agent());
    arguments.addAll(List.of("-cp", classes.toString(), "OldTalker", role, port));
    return launches.java(arguments);
  }

  private void talk(Program server, Connecting connecting, String reason) throws Exception {
    Program client = connecting.to(server.await("ready"));
    client.await("done");
    Patience.await()
        .untilAsserted(() ->
            assertThat(launches.ps())
                .singleElement()
                .satisfies(stream -> {
                  assertThat(stream.reason()).isEqualTo(reason);
                  assertThat(stream.ringBytes()).isZero();
                  assertThat(stream.plainIn()).isEqualTo(600_000);
                }));
    client.end();
    server.end();
    assertThat((client.said() + server.said()).lines())
        .singleElement()
        .asString()
        .endsWith(": connections stay on TCP");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "--version", "ps", "doctor", "off --all", "no-such-command"})
  void eachToolSaysOneLineAndEndsWithItsCode(String arguments) throws Exception {
    for (OlderJava java : javas()) {
      List<String> all = new ArrayList<>(List.of("-jar", Launches.AGENT.toString()));
      if (!arguments.isEmpty()) {
        all.addAll(List.of(arguments.split(" ", -1)));
      }
      assertOneLine(java, all.toArray(String[]::new));
    }
  }

  private static void assertOneLine(OlderJava java, String... arguments) throws Exception {
    Process process =
        new ProcessBuilder(command(java, arguments)).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(Patience.DEADLINE)).isTrue();
    assertThat(said.lines()).containsExactly(CODE + complaint(java));
    assertThat(process.exitValue()).isEqualTo(TOO_OLD);
  }

  /** Holds on machines without an older Java, too: what is entered, and all that it refers to. */
  @Test
  void whatTheJvmEntersIsCompiledForJava8AndRefersToNothingNewer() throws Exception {
    try (JarFile jar = new JarFile(Launches.AGENT.toFile())) {
      Deque<String> waiting = new ArrayDeque<>();
      for (String attribute : List.of("Main-Class", "Premain-Class", "Agent-Class")) {
        waiting.add(jar.getManifest().getMainAttributes().getValue(attribute).replace('.', '/'));
      }
      waiting.add(PROVIDER.replace('.', '/')); // by the property
      // A new way in has to be added here.
      assertThat(jar.getManifest().getMainAttributes().keySet())
          .noneMatch(key -> key.toString().equals("Launcher-Agent-Class"));
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
      assertThat(seen).hasSize(7);
    }
  }

  /** As tools do that put many jars into one, whose manifest is theirs. */
  @Test
  void aCopyOfItsClassesInAnotherJarWorks() throws Exception {
    Path copy = launches.home().resolve("copy.jar");
    try (JarFile jar = new JarFile(Launches.AGENT.toFile());
        JarOutputStream out = new JarOutputStream(Files.newOutputStream(copy))) {
      for (JarEntry entry : jar.stream().toList()) {
        if (!entry.isDirectory() && !entry.getName().equals(JarFile.MANIFEST_NAME)) {
          out.putNextEntry(new JarEntry(entry.getName()));
          jar.getInputStream(entry).transferTo(out);
          out.closeEntry();
        }
      }
    }
    String classPath = classes + File.pathSeparator + copy;
    Program program = launches.java(List.of(PROPERTY, "-cp", classPath, "OldSelecting"));
    assertThat(program.await("done")).isEqualTo("SlipstreamSelectorProvider");
    program.end();
    assertThat(program.said()).isEmpty();
    for (OlderJava java : javas()) {
      Program older =
          launches.launch(
              new ProcessBuilder(command(java, PROPERTY, "-cp", classPath, "OldSelecting")));
      older.await("done");
      older.end();
      assertThat(older.said().lines())
          .containsExactly(CODE + complaint(java) + ": connections stay on TCP");
    }
  }
}
