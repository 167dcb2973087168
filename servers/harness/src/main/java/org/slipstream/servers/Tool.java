package org.slipstream.servers;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/**
 * Runs the main method of a server's own client tool, and says at its end how much processor time
 * the process has used, how much of it its compilers, how long it took to begin, and whether it ran
 * Slipstream.
 */
public final class Tool {
  private Tool() {}

  /**
   * Runs it.
   *
   * @param args the main class, and its arguments
   * @throws Throwable whatever the tool throws
   */
  public static void main(String[] args) throws Throwable {
    double began = Start.uptime();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> {
              Cpu cpu = Cpu.of("self");
              System.out.println("CPU " + cpu.user() + " " + cpu.system());
              System.out.println("START " + (began - Start.ofThisProcess()));
              System.out.println("COMPILERS " + Start.compilers());
              System.out.println("TRACES " + traces());
            }));
    try {
      Class.forName(args[0])
          .getMethod("main", String[].class)
          .invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  private static Object traces() {
    try {
      return Traces.of("self");
    } catch (IOException e) {
      return e;
    }
  }
}
