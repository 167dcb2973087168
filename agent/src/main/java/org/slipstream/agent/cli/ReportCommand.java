package org.slipstream.agent.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code slipstream report}: what a recording of the flight recorder says of streams. */
@Command(
    name = "report",
    mixinStandardHelpOptions = true,
    description =
        "Adds up the events of Slipstream in a recording of the flight recorder: streams by what"
            + " carried them, why some stayed on TCP, waits, links that were lost.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      " 0:the recording was read, whatever is in it",
      " 1:it can not be read",
      " 2:the command line is wrong",
      " 4:Java is older than 25"
    })
final class ReportCommand implements Callable<Integer> {
  @Parameters(paramLabel = "RECORDING", description = "A file: recording.jfr.")
  private @Nullable Path file;

  ReportCommand() {}

  @Override
  public Integer call() throws IOException {
    Path recording = Objects.requireNonNull(file);
    if (!Files.isReadable(recording)) {
      throw new IOException(recording + " can not be read; is it there?");
    }
    try {
      RecordedEvents.read(recording).lines().forEach(System.out::println);
      return 0;
    } catch (LinkageError e) {
      throw new IOException("this Java has no module jdk.jfr", e);
    }
  }
}
