package org.slipstream.agent.fabric;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.slipstream.core.config.SlipstreamConfig;
import org.slipstream.transport.Availability;
import org.slipstream.transport.Transport;

/**
 * What one end of a check says of its machine.
 *
 * @param facts by name, in their order
 * @param transports what each can do there
 */
record HostReport(Map<String, String> facts, List<TransportReport> transports) {
  /** Equal at both ends of one kernel; names no host to a stranger. */
  static final String KERNEL = "kernel";

  static final String NAME = "host";
  static final String LOCKABLE = "memlock";

  /** Whether a server runs programs of others for its clients; only then it is said. */
  static final String BESIDE = "beside";

  static final String YES = "yes";

  private static final String BOOT_ID = "/proc/sys/kernel/random/boot_id";
  private static final int MOST_LINES = 64;

  /**
   * A transport at one end.
   *
   * @param name as in the settings
   * @param available whether it can be used
   * @param reason what was found, or what is missing
   * @param devices a line for each
   */
  record TransportReport(String name, boolean available, String reason, List<String> devices) {}

  static HostReport ofThisMachine(SlipstreamConfig config, String version) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put(NAME, hostName());
    facts.put("slipstream", version);
    facts.put("java", System.getProperty("java.runtime.version"));
    facts.put(
        "system",
        System.getProperty("os.name")
            + " "
            + System.getProperty("os.version")
            + " "
            + System.getProperty("os.arch"));
    facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
    facts.put(LOCKABLE, lockable());
    facts.put(KERNEL, kernel());
    List<TransportReport> transports = new ArrayList<>();
    for (Transport transport : ServiceLoader.load(Transport.class)) {
      transports.add(report(transport, config));
    }
    transports.sort((a, b) -> rank(config, a) - rank(config, b));
    return new HostReport(facts, transports);
  }

  /** The same end, which runs programs of others for its clients. */
  HostReport withBeside() {
    Map<String, String> more = new LinkedHashMap<>(facts);
    more.put(BESIDE, YES);
    return new HostReport(more, transports);
  }

  private static TransportReport report(Transport transport, SlipstreamConfig config) {
    Availability found = transport.availability();
    boolean isOn = config.transports().contains(transport.name());
    return new TransportReport(
        transport.name(),
        found.available() && isOn,
        found.available() && !isOn ? "switched off by slipstream.transports" : found.reason(),
        transport.devices());
  }

  private static int rank(SlipstreamConfig config, TransportReport transport) {
    int rank = config.transports().indexOf(transport.name());
    return rank < 0 ? Integer.MAX_VALUE : rank;
  }

  private static String hostName() {
    try { // not by InetAddress, which asks name servers for the address that belongs to it
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    } catch (IOException e) {
      return "unknown";
    }
  }

  private static String kernel() {
    try {
      byte[] boot =
          ("slipstream fabric " + Files.readString(Path.of(BOOT_ID)).strip())
              .getBytes(StandardCharsets.UTF_8);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(boot);
      return HexFormat.of().formatHex(digest, 0, 8);
    } catch (IOException | NoSuchAlgorithmException e) {
      return "unknown";
    }
  }

  /** RLIMIT_MEMLOCK of this process. */
  private static String lockable() {
    String name = "Max locked memory";
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/limits"))) {
        if (line.startsWith(name)) {
          String soft = line.substring(name.length()).strip().split(" +", 2)[0];
          return soft.equals("unlimited") ? soft : soft + " bytes";
        }
      }
    } catch (IOException e) {
      return "unknown";
    }
    return "unknown";
  }

  String fact(String name) {
    return facts.getOrDefault(name, "unknown");
  }

  boolean isOnOneKernelWith(HostReport other) {
    return !fact(KERNEL).equals("unknown") && fact(KERNEL).equals(other.fact(KERNEL));
  }

  TransportReport transport(String name) {
    return transports.stream()
        .filter(transport -> transport.name().equals(name))
        .findFirst()
        .orElse(new TransportReport(name, false, "this Slipstream does not have it", List.of()));
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    facts.forEach((name, value) -> lines.add("fact " + name + " " + value));
    for (TransportReport transport : transports) {
      lines.add(
          "transport "
              + transport.name()
              + (transport.available() ? " yes " : " no ")
              + transport.reason());
      transport.devices().forEach(device -> lines.add("device " + transport.name() + " " + device));
    }
    return lines.size() > MOST_LINES ? lines.subList(0, MOST_LINES) : lines;
  }

  /** Reads what another process said; what it does not understand is left out. */
  static HostReport parse(List<String> lines) {
    Map<String, String> facts = new LinkedHashMap<>();
    Map<String, TransportReport> transports = new LinkedHashMap<>();
    for (String line : lines.subList(0, Math.min(MOST_LINES, lines.size()))) {
      String[] words = line.split(" ", 3);
      if (words.length == 3 && words[0].equals("fact")) {
        facts.put(words[1], words[2]);
      } else if (words.length == 3 && words[0].equals("transport")) {
        boolean available = words[2].startsWith("yes ");
        String reason = words[2].replaceFirst("^(yes|no) ", "");
        transports.put(
            words[1], new TransportReport(words[1], available, reason, new ArrayList<>()));
      } else if (words.length == 3 && words[0].equals("device")) {
        TransportReport transport = transports.get(words[1]);
        if (transport != null) {
          transport.devices().add(words[2]);
        }
      }
    }
    return new HostReport(facts, List.copyOf(transports.values()));
  }
}
