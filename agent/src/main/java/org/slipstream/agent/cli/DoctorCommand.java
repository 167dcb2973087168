package org.slipstream.agent.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.config.SlipstreamConfig;
import org.slipstream.shm.ProcessInspector;
import org.slipstream.transport.Availability;
import org.slipstream.transport.Transport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code slipstream doctor}: what is available here, or why not. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    description = "Says what is available on this machine, and why not. Exit code 1 if nothing is.")
final class DoctorCommand implements Callable<Integer> {

  @Option(names = "--dir", paramLabel = "DIR", description = "The runtime directory to check.")
  private @Nullable String dir;

  DoctorCommand() {}

  @Override
  public Integer call() {
    System.out.println("java        " + System.getProperty("java.vm.version"));
    System.out.println("cores       " + Runtime.getRuntime().availableProcessors());
    boolean any = false;
    try {
      SlipstreamConfig config = SlipstreamConfig.read(System.getProperties());
      System.out.println("settings    " + config);
    } catch (SlipstreamConfig.InvalidConfigException e) {
      System.out.println("settings    " + e.getMessage());
      return 1;
    }
    try {
      Path path = ProcessInspector.runtimeDirectory(dir);
      System.out.println("directory   " + path);
    } catch (IOException e) {
      System.out.println("directory   " + e.getMessage());
    }
    for (Transport transport : ServiceLoader.load(Transport.class)) {
      Availability a = transport.availability();
      any |= a.available();
      System.out.printf(
          "%-11s %s: %s%n",
          transport.name(), a.available() ? "available" : "not available", a.reason());
      Availability tried = a.available() ? transport.probe() : a;
      if (!tried.equals(a)) {
        System.out.printf(
            "%-11s %s: %s%n", "", tried.available() ? "works" : "does not work", tried.reason());
      }
    }
    System.out.println(
        any ? "verdict     streams can leave TCP here" : "verdict     every stream stays on TCP");
    return any ? 0 : 1;
  }
}
