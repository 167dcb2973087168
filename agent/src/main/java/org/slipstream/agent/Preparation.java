package org.slipstream.agent;

/**
 * A thread that, while the program begins, does what its first socket would have to wait for: opens
 * the JDK's socket packages, and loads the classes that the first connection needs. No class is
 * initialised by that, so a setting that the program makes before its first socket counts.
 *
 * <p>Nothing depends on it: what it has not done, or could not do, the first socket does.
 */
final class Preparation implements Runnable {
  private final OpenedPackages packages;

  private Preparation(OpenedPackages packages) {
    this.packages = packages;
  }

  /**
   * Starts the thread.
   *
   * @param packages to be opened
   */
  static void begin(OpenedPackages packages) {
    // No builder: that is six classes more before main.
    Thread thread = new Thread(new Preparation(packages), "slipstream-prepare");
    thread.setDaemon(true);
    try {
      thread.start();
    } catch (OutOfMemoryError e) {
      return; // the system has no more threads
    }
  }

  @Override
  public void run() {
    try {
      packages.prepare();
      load(FirstSocketClasses.NAMES);
    } catch (RuntimeException | Error e) {
      return; // the first socket meets it again, and says so
    }
  }

  private static void load(String names) {
    for (int at = 0; at < names.length(); ) {
      int end = names.indexOf('\n', at);
      int colon = names.indexOf(':', at);
      String prefix = names.substring(at, colon).concat(".");
      for (int word = colon + 2; word < end; ) {
        int space = names.indexOf(' ', word);
        int next = space < 0 ? end : Math.min(space, end);
        load(prefix, names.substring(word, next));
        word = next + 1;
      }
      at = end + 1;
    }
  }

  private static void load(String prefix, String name) {
    try {
      Class<?> _ = Class.forName(prefix.concat(name), false, Preparation.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      return; // of another JDK
    }
  }
}
