package org.slipstream.agent.cli;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.status.NativeTransports;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.shm.ProcessInspector;

/** What {@code ps} and {@code doctor} say of connections that are made in native code. */
final class PassedBy {
  private PassedBy() {}

  /** A sentence about a process; nothing if no library of it does that. */
  static Optional<String> sentence(ProcessStatus process) {
    return process.members().get(NativeTransports.NAMES) instanceof String names
        ? Optional.of(
            "Process "
                + process.number("pid")
                + ": "
                + process.number(NativeTransports.CONNECTIONS)
                + " TCP connections of "
                + names
                + " pass Slipstream by; "
                + process.members().getOrDefault(NativeTransports.ADVICE, "see docs/NETTY.md"))
        : Optional.empty();
  }

  /** The sentences of all processes that can be asked. */
  static List<String> ofRunningProcesses(@Nullable String directory) {
    try {
      return ProcessInspector.ask(directory, "streams").stream()
          .flatMap(answer -> ProcessStatus.parse(answer).stream())
          .flatMap(process -> sentence(process).stream())
          .toList();
    } catch (IOException e) {
      return List.of(); // the line of the directory says why
    }
  }
}
