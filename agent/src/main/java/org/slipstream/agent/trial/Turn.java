package org.slipstream.agent.trial;

import org.jspecify.annotations.Nullable;

/**
 * How a program, or a server and a client, ran once.
 *
 * @param millis how long the program or the client ran
 * @param cpu of all processes
 * @param calls of all processes, and the few of this one
 * @param switches of all processes
 * @param exitCode of the program or the client; null if it was ended from here
 * @param serverCode of the server that ended by itself; null if it was ended from here, or if there
 *     is none
 * @param carried what the looks at its streams have found
 */
public record Turn(
    long millis,
    CpuTime cpu,
    KernelCalls calls,
    ContextSwitches switches,
    @Nullable Integer exitCode,
    @Nullable Integer serverCode,
    Carried carried) {

  /**
   * Whether one of the two ended by itself with a code that is not 0.
   *
   * @return false if it was ended from here
   */
  public boolean failed() {
    return (exitCode != null && exitCode != 0) || (serverCode != null && serverCode != 0);
  }
}
