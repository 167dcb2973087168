package org.slipstream.benchmarks.demo;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;

/**
 * The processes of the demo, their directory, and what was heard of them. Closing it ends all that
 * still run, and so does the end of this process.
 */
final class Stage implements AutoCloseable {
  private static final String LOOK_S = "0.25";

  private final Path jar;
  private final Path home;
  private final Thread hook = new Thread(this::end, "end of the demo");
  private final List<Actor> actors = new CopyOnWriteArrayList<>();

  /** Written by the thread that reads the client. */
  private volatile Count count = Count.NONE;

  /** Written by the thread that reads ps. */
  private volatile PsTable table = PsTable.NOTHING;

  /** Completed by the thread that reads the client, with how many requests had their answer. */
  private final CompletableFuture<Long> done = new CompletableFuture<>();

  /**
   * Makes the directory.
   *
   * @param jar slipstream.jar
   * @throws IOException there is no room for it
   */
  Stage(Path jar) throws IOException {
    this.jar = jar;
    Path memory = Path.of("/dev/shm");
    home =
        Files.isWritable(memory)
            ? Files.createTempDirectory(memory, "slipstream-demo-")
            : Files.createTempDirectory("slipstream-demo-");
    Runtime.getRuntime().addShutdownHook(hook);
  }

  Count count() {
    return count;
  }

  PsTable table() {
    return table;
  }

  CompletableFuture<Long> done() {
    return done;
  }

  /** What the processes complained of. */
  String complaints() throws IOException {
    return Files.exists(log()) ? Files.readString(log()).strip() : "";
  }

  private Path log() {
    return home.resolve("errors");
  }

  private Path rulesFile() {
    return home.resolve("demo.rules");
  }

  /** Replaces the file of rules that the processes look at. */
  void rules(String rules) throws IOException {
    Files.writeString(rulesFile(), rules + "\n");
  }

  /** Starts Jetty; completes with its port when it listens there. */
  Actor server(boolean slipstream, int port, CompletableFuture<Integer> listening)
      throws IOException {
    return java(
        slipstream,
        DemoServer.class,
        port,
        line -> {
          if (line.startsWith("ready ")) {
            listening.complete(Integer.valueOf(line.substring(6)));
          }
        });
  }

  Actor client(int port) throws IOException {
    return java(true, DemoClient.class, port, this::heard);
  }

  private void heard(String line) {
    if (line.startsWith("at ")) {
      count = Count.of(line.substring(3));
    } else if (line.startsWith("done ")) {
      done.complete(Long.valueOf(line.substring(5)));
    }
  }

  /** Keeps looking with {@code slipstream ps}. */
  Actor ps() throws IOException {
    return tool(List.of("ps", "--json", "--watch=" + LOOK_S), line -> table = PsTable.of(line));
  }

  /** Runs {@code slipstream off --all} or {@code on --all}. */
  Actor all(String verb) throws IOException {
    return tool(List.of(verb, "--all"), line -> {});
  }

  private Actor tool(List<String> arguments, Consumer<String> lines) throws IOException {
    List<String> command = new ArrayList<>(List.of(javaCommand(), "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-XX:+UseSerialGC", "-jar", jar.toString()));
    command.addAll(arguments);
    command.addAll(List.of("--dir", runtimeDirectory()));
    return start(command, lines);
  }

  private Actor java(boolean slipstream, Class<?> program, int port, Consumer<String> lines)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(javaCommand()));
    command.addAll(List.of("-XX:+UseSerialGC", "-Xmx128m"));
    if (slipstream) {
      command.add("-javaagent:" + jar);
      command.add("-Dslipstream.dir=" + runtimeDirectory());
      command.add("-Dslipstream.rules.file=" + rulesFile());
    }
    command.addAll(List.of("-cp", classPath(), program.getName(), Integer.toString(port)));
    return start(command, lines);
  }

  private Actor start(List<String> command, Consumer<String> lines) throws IOException {
    Actor actor = Actor.start(command, log(), lines);
    actors.add(actor);
    return actor;
  }

  private String runtimeDirectory() {
    return home.resolve("run").toString();
  }

  private static String javaCommand() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** What the two programs need, and nothing of Slipstream. */
  private static String classPath() {
    return Stream.of(
            DemoServer.class,
            Server.class,
            HttpHeader.class,
            Content.class,
            Callback.class,
            Logger.class)
        .map(Stage::location)
        .distinct()
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String location(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("The class " + type + " is in no file.", e);
    }
  }

  private void end() {
    actors.forEach(Actor::discard);
    try (Stream<Path> all = Files.walk(home)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      return; // what is left is in a directory for what is temporary
    }
  }

  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // the hook runs, or has run
    }
  }
}
