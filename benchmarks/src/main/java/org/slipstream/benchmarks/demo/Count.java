package org.slipstream.benchmarks.demo;

/**
 * What the client says of itself.
 *
 * @param answered requests whose answer came and was right
 * @param again requests that were sent a second time
 * @param connections that it has made
 */
record Count(long answered, long again, long connections) {
  static final Count NONE = new Count(0, 0, 0);

  /** From the numbers of its line. */
  static Count of(String numbers) {
    String[] each = numbers.split(" ", -1);
    return new Count(Long.parseLong(each[0]), Long.parseLong(each[1]), Long.parseLong(each[2]));
  }
}
