package org.slipstream.agent.launch;

import org.slipstream.provider.older.RunningJava;

/** The {@code Main-Class}: starts the command line, unless Java is too old. */
public final class CommandLauncher {
  /** The exit code of every command where Java is too old. */
  static final int TOO_OLD = 4;

  private static final String COMMAND_LINE = "org.slipstream.agent.cli.Main";

  private CommandLauncher() {}

  /**
   * Runs a tool.
   *
   * @param args the command and its options
   * @throws ReflectiveOperationException if the jar is not whole
   */
  public static void main(String[] args) throws ReflectiveOperationException {
    if (RunningJava.isTooOld()) {
      System.err.println(RunningJava.line());
      System.exit(TOO_OLD);
    }
    Class.forName(COMMAND_LINE).getMethod("main", String[].class).invoke(null, (Object) args);
  }
}
