package org.slipstream.it.guest;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a guest said when it ran first in this JVM, so that its second run (a test that fails in CI
 * gets one) is one of the rows that failed, and not of all. The results keep their order, by which
 * JUnit knows them.
 *
 * @param lines of the results, of which some failed
 */
record SecondChance(List<String> lines) {
  private static final Map<String, SecondChance> OF_GUESTS = new ConcurrentHashMap<>();

  /** What is known of a guest's first run; nothing if it has not run, or has not ended well. */
  static SecondChance of(String guest) {
    return OF_GUESTS.getOrDefault(guest, new SecondChance(List.of()));
  }

  /** Keeps the results of a run; none if it did not come to its end. */
  static void keep(String guest, List<String> lines) {
    OF_GUESTS.put(guest, new SecondChance(List.copyOf(lines)));
  }

  /** The rows to be run: those that failed, or all if none is known to have. */
  List<String> rows(List<String> all) {
    Set<String> failed = new LinkedHashSet<>();
    for (String line : lines) {
      if (status(line).equals("failed")) {
        failed.add(name(line).split(" / ", -1)[0]);
      }
    }
    List<String> rows = all.stream().filter(row -> failed.contains(simple(row))).toList();
    return rows.isEmpty() ? all : rows;
  }

  /** The results of the first run, and in their places those of the second. */
  List<String> with(List<String> second) {
    if (lines.isEmpty()) {
      return second;
    }
    Map<String, String> byName = new HashMap<>();
    second.forEach(line -> byName.put(name(line), line));
    List<String> all = new ArrayList<>();
    for (String line : lines) {
      all.add(byName.getOrDefault(name(line), line));
    }
    return all;
  }

  private static String name(String line) {
    return line.split("\t", -1)[0];
  }

  private static String status(String line) {
    return line.split("\t", -1)[1];
  }

  /** As JUnit displays a class, or a method of it that was asked for by name. */
  private static String simple(String row) {
    return row.replaceAll("#.*", "").replaceAll(".*\\.", "");
  }
}
