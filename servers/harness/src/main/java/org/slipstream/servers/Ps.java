package org.slipstream.servers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code slipstream ps --json} said.
 *
 * @param said what each process said, by process id
 * @param silent those that live and did not answer
 */
record Ps(Map<Long, String> said, List<Long> silent) {
  /** Before anything was asked. */
  static final Ps NONE = new Ps(Map.of(), List.of());

  private static final Pattern PROCESS =
      Pattern.compile("\\{\"pid\":(\\d+),[^{}]*(?:\\{[^{}]*\\}[^{}]*)*\\}");
  private static final Pattern SILENT = Pattern.compile("\"silent\":\\[([\\d,]*)\\]");

  /** Runs the tool. */
  static Ps ask(List<String> command) throws IOException, InterruptedException {
    Process ps = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String json = new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!ps.waitFor(30, TimeUnit.SECONDS) || ps.exitValue() != 0) {
      throw new IOException("slipstream ps failed: " + json);
    }
    return parse(json);
  }

  static Ps parse(String json) throws IOException {
    Matcher end = SILENT.matcher(json);
    if (!end.find()) {
      throw new IOException("slipstream ps said " + json);
    }
    List<Long> silent = new ArrayList<>();
    if (!end.group(1).isEmpty()) {
      for (String pid : end.group(1).split(",", -1)) {
        silent.add(Long.valueOf(pid));
      }
    }
    Map<Long, String> said = new LinkedHashMap<>();
    Matcher process = PROCESS.matcher(json);
    while (process.find()) {
      said.put(Long.valueOf(process.group(1)), process.group());
    }
    return new Ps(said, silent);
  }

  /** Whether a process runs Slipstream. */
  boolean lists(long pid) {
    return said.containsKey(pid) || silent.contains(pid);
  }
}
