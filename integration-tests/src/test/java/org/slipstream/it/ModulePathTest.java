package org.slipstream.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.StringWriter;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.testkit.Patience;
import org.slipstream.testkit.TestDirectory;

/** A program that is a module and has Slipstream on its module path, without the agent. */
class ModulePathTest {
  private static final String MODULE =
      """
      module program {
        requires org.slipstream.provider;
        uses org.slipstream.transport.Transport;
        exports program;
      }
      """;

  private static final String STATUS =
      """
      package program;

      import java.net.InetAddress;
      import java.net.InetSocketAddress;
      import java.nio.ByteBuffer;
      import java.nio.channels.*;
      import java.nio.channels.spi.SelectorProvider;
      import java.util.Properties;
      import java.util.ServiceLoader;
      import org.slipstream.core.api.Counter;
      import org.slipstream.core.api.Reason;
      import org.slipstream.core.api.StreamStatus;
      import org.slipstream.provider.nio.Installation;
      import org.slipstream.provider.nio.SelectorProviders;
      import org.slipstream.transport.Transport;

      public class Program {
        public static String run(String directory, long nanos) throws Exception {
          Properties settings = new Properties();
          settings.setProperty("slipstream.dir", directory);
          Installation installation =
              Installation.create(settings, ServiceLoader.load(Transport.class));
          SelectorProvider provider = SelectorProviders.of(installation);
          long end = System.nanoTime() + nanos;
          try (ServerSocketChannel listener = provider.openServerSocketChannel();
              SocketChannel client = provider.openSocketChannel()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            client.connect(listener.getLocalAddress());
            try (SocketChannel server = listener.accept()) {
              StreamStatus status = Installation.status(client);
              while (status.out().get(Counter.RING_BYTES) == 0 && System.nanoTime() < end) {
                move(client, server);
                move(server, client);
                status = Installation.status(client);
              }
              return status.reason() == Reason.SWITCHING || status.reason() == Reason.NONE
                  ? "on the ring: " + (status.out().get(Counter.RING_BYTES) > 0)
                  : status.toString();
            }
          }
        }

        private static void move(SocketChannel from, SocketChannel to) throws Exception {
          from.write(ByteBuffer.allocate(1));
          to.read(ByteBuffer.allocate(1));
        }
      }
      """;

  private static final String TOO_CURIOUS =
      """
      package program;

      public class Program {
        public static Object core() {
          return org.slipstream.provider.nio.Installation.get()
              .unwrap(org.slipstream.core.session.SlipstreamCore.class);
        }
      }
      """;

  @TempDir private Path sources;
  @TempDir private Path classes;

  @Test
  void aModuleReadsTheStatusOfItsStreams() throws Exception {
    assertThat(compile(STATUS)).isEmpty();
    List<Path> path = new ArrayList<>(modulePath());
    path.add(classes);
    ModuleLayer boot = ModuleLayer.boot();
    Configuration configuration =
        boot.configuration()
            .resolveAndBind(
                ModuleFinder.of(), ModuleFinder.of(path.toArray(Path[]::new)), Set.of("program"));
    ClassLoader loader =
        boot.defineModulesWithOneLoader(configuration, ClassLoader.getPlatformClassLoader())
            .findLoader("program");
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader); // where a program's ServiceLoader looks
    try (TestDirectory directory = TestDirectory.create()) {
      Object said =
          loader
              .loadClass("program.Program")
              .getMethod("run", String.class, long.class)
              .invoke(null, directory.path().resolve("run").toString(), Patience.LONG.toNanos());
      assertThat(said).isEqualTo("on the ring: true");
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Test
  void aModuleDoesNotSeeTheInsideOfTheCore() throws Exception {
    assertThat(compile(TOO_CURIOUS))
        .contains("package org.slipstream.core.session is not visible")
        .contains("does not export it to module program");
  }

  /** Our modules, without the one that needs Netty, and the annotations that the compiler reads. */
  private static List<Path> modulePath() throws URISyntaxException {
    List<Path> path = new ArrayList<>();
    for (ModuleReference module : Exports.modules()) {
      if (!module.descriptor().name().equals("org.slipstream.netty")) {
        path.add(Path.of(module.location().orElseThrow()));
      }
    }
    path.add(Path.of(NullMarked.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
    return path;
  }

  /** What the compiler complains about. */
  private String compile(String program) throws Exception {
    Path module = Files.writeString(sources.resolve("module-info.java"), MODULE);
    Path source = Files.writeString(sources.resolve("Program.java"), program);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter complaints = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      Iterable<? extends JavaFileObject> units = files.getJavaFileObjects(module, source);
      List<String> options =
          List.of(
              "--module-path",
              modulePath().stream()
                  .map(Path::toString)
                  .collect(Collectors.joining(File.pathSeparator)),
              "--class-path", // not that of this test, which has the same packages
              classes.toString(),
              "-proc:none",
              "-d",
              classes.toString());
      compiler.getTask(complaints, files, null, options, null, units).call();
    }
    return complaints.toString();
  }
}
