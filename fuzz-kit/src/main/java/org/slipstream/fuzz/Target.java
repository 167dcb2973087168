package org.slipstream.fuzz;

/** What is fuzzed: gives one input to a parser, and looks whether its state is still right. */
@FunctionalInterface
public interface Target {

  /**
   * Takes an input. Called by one thread; each call begins with a state of its own, or the same
   * one.
   *
   * @param input may be changed
   * @param trace told what happened
   * @throws Exception of a type that the fuzzer was told: the input is refused; anything else is a
   *     failure, as is every {@link Error}
   */
  void take(byte[] input, Trace trace) throws Exception;
}
