package org.slipstream.it.fresh;

/** Keeps as many threads runnable as its argument says, until its input ends. */
public final class Busy {
  private Busy() {}

  public static void main(String[] args) throws Exception {
    for (int i = Integer.parseInt(args[0]); i > 0; i--) {
      Thread.ofPlatform().daemon().start(Busy::compute);
    }
    Said.awaitEndOfInput();
    System.exit(0);
  }

  private static void compute() {
    while (true) {
      Thread.onSpinWait();
    }
  }
}
