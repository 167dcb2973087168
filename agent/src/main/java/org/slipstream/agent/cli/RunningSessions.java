package org.slipstream.agent.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.core.status.StreamRow;
import org.slipstream.shm.ProcessInspector;

/** What {@code doctor} says of the sessions of running processes with other hosts. */
final class RunningSessions {
  private RunningSessions() {}

  /** The sentences of all processes that can be asked, and that have met another host. */
  static List<String> sentences(@Nullable String directory) {
    try {
      return ProcessInspector.ask(directory, "sessions").stream()
          .flatMap(answer -> ProcessStatus.parse(answer).stream())
          .filter(process -> process.members().containsKey(ProcessStatus.SESSIONS_OPEN))
          .flatMap(process -> sentence(process).stream())
          .toList();
    } catch (IOException e) {
      return List.of(); // the line of the directory says why
    }
  }

  /** Those of one host are the business of {@code ps}: no device is theirs. */
  static Optional<String> sentence(ProcessStatus process) {
    Map<String, Sum> open = new TreeMap<>();
    List<String> rest = new ArrayList<>();
    for (StreamRow row : process.streams()) {
      String state = row.text("state");
      String place = row.text("transport") + " on " + row.text("device");
      if (state.equals("refused")) {
        rest.add("refused by " + row.text("address") + ": " + row.text("cause"));
      } else if (!row.text("device").isEmpty() && state.equals("open")) {
        open.computeIfAbsent(place, _ -> new Sum()).add(row);
      } else if (!row.text("device").isEmpty()) {
        rest.add("ended " + row.number("seconds") + " s ago, " + place + ": " + row.text("cause"));
      }
    }
    List<String> all = new ArrayList<>();
    open.forEach((place, sum) -> all.add(sum.text(place)));
    all.addAll(rest);
    return all.isEmpty()
        ? Optional.empty()
        : Optional.of("process " + process.number("pid") + ": " + String.join("; ", all));
  }

  /** Sessions of one device. */
  private static final class Sum {
    private long sessions;
    private long streams;
    private long pinned;

    void add(StreamRow row) {
      sessions++;
      streams += row.number("streams");
      pinned += row.number("pinnedBytes");
    }

    String text(String place) {
      return sessions
          + " open over "
          + place
          + " with "
          + streams
          + " streams, "
          + StreamTable.human(pinned)
          + " pinned";
    }
  }
}
