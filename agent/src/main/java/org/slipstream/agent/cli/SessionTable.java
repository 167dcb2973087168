package org.slipstream.agent.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.slipstream.core.status.ProcessStatus;
import org.slipstream.core.status.StreamRow;

/** The table of {@code slipstream ps --sessions}, as wide as its content. */
final class SessionTable {
  private static final List<String> TEXTS =
      List.of(
          "pid",
          "program",
          "transport",
          "peer",
          "state",
          "role",
          "device",
          "gid",
          "address",
          "order");
  private static final List<String> NUMBERS = List.of("seconds", "streams", "mtu");
  private static final int PEER_DIGITS = 8;

  private SessionTable() {}

  /** A process that knows the question says how many sessions it has; an older one does not. */
  static List<StreamRow> rows(List<ProcessStatus> said) {
    return said.stream()
        .filter(process -> process.members().containsKey(ProcessStatus.SESSIONS_OPEN))
        .flatMap(process -> process.streams().stream())
        .toList();
  }

  static List<String> lines(List<StreamRow> rows) {
    List<List<String>> cells = new ArrayList<>();
    List<String> head = new ArrayList<>();
    TEXTS.forEach(name -> head.add(name.toUpperCase(Locale.ROOT)));
    NUMBERS.forEach(name -> head.add(name.toUpperCase(Locale.ROOT)));
    head.addAll(
        List.of(
            "PINNED",
            "QUEUE",
            "FULL",
            "COMPLETIONS",
            "RETRIES",
            "LOST",
            "RETURNED",
            "ZERO-COPY",
            "CAUSE"));
    cells.add(head);
    rows.forEach(row -> cells.add(cells(row)));
    return Columns.lines(cells, TEXTS.size());
  }

  private static List<String> cells(StreamRow row) {
    List<String> cells = new ArrayList<>();
    for (String name : TEXTS) {
      String text = name.equals("program") ? StreamTable.program(row) : row.text(name);
      cells.add(
          name.equals("peer") ? text.substring(0, Math.min(PEER_DIGITS, text.length())) : text);
    }
    for (String name : NUMBERS) {
      cells.add(row.members().containsKey(name) ? Long.toString(row.number(name)) : "-");
    }
    boolean queue = row.members().containsKey("queueSize");
    cells.add(queue ? StreamTable.human(row.number("pinnedBytes")) : "-");
    cells.add(queue ? row.number("queueUsed") + "/" + row.number("queueSize") : "-");
    for (String name :
        List.of(
            "queueFull", "completions", "retries", "linksLost", "linksReturned", "zeroCopies")) {
      cells.add(row.members().containsKey(name) ? StreamTable.human(row.number(name)) : "-");
    }
    cells.add(row.text("cause"));
    return cells;
  }
}
