package org.slipstream.provider.older;

/** The Java that runs this process, and what Slipstream needs. */
public final class RunningJava {
  private static final int NEEDED = 25;

  /** Guarded by the class. */
  private static boolean said;

  private RunningJava() {}

  /**
   * Whether it is older than Slipstream needs.
   *
   * @return true before Java 25
   */
  public static boolean isTooOld() {
    return feature(specification()) < NEEDED;
  }

  /**
   * Why {@link #isTooOld}, without what follows from it.
   *
   * @return one clause
   */
  public static String complaint() {
    return "Slipstream needs Java " + NEEDED + " or newer; this is " + feature(specification());
  }

  /**
   * The complaint as a line of standard error; the code is that of {@code MessageCode}.
   *
   * @return with its code
   */
  public static String line() {
    return "slipstream: SL002: " + complaint();
  }

  /** For a program, one line: the agent and the property may both be there. */
  public static synchronized void sayThatConnectionsStayOnTcp() {
    if (!said) {
      said = true;
      System.err.println(RunningJava.line() + ": connections stay on TCP");
    }
  }

  private static String specification() {
    return System.getProperty("java.specification.version");
  }

  /**
   * The feature release of a specification version.
   *
   * @param specification {@code 1.8} or {@code 17}
   * @return 8 or 17; 0 if it can not be read
   */
  static int feature(String specification) {
    try {
      return Integer.parseInt(
          specification.startsWith("1.") ? specification.substring(2) : specification);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
