package org.slipstream.core.status;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Counter;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.core.stream.Total;
import org.slipstream.core.stream.Total.Way;

/** What this process tells a tool. All strings are our own words or addresses. */
public final class StatusJson {
  private StatusJson() {}

  /**
   * Describes this process.
   *
   * @param streams its open streams
   * @return one JSON object
   */
  public static String process(Collection<Stream> streams) {
    return process(streams, Map.of());
  }

  /**
   * Describes this process.
   *
   * @param streams its open streams
   * @param more members
   * @return one JSON object
   */
  public static String process(Collection<Stream> streams, Map<String, Object> more) {
    Map<String, Object> members = members();
    members.putAll(more);
    return new ProcessStatus(members, streams.stream().map(stream -> row(members, stream)).toList())
        .json();
  }

  /**
   * Describes what all streams of this process have done, closed ones included.
   *
   * @param counters the sums
   * @return one JSON object with a member for each of {@link Total#ALL}
   */
  public static String totals(ProcessCounters counters) {
    Map<String, Object> members = members();
    Total.ALL.forEach(total -> members.put(total.name(), counters.get(total)));
    return new ProcessStatus(members, List.of()).json();
  }

  /**
   * Describes the sessions of this process with others.
   *
   * @param sessions those that are open, and some that are over or were refused
   * @return one JSON object
   */
  public static String sessions(SessionJournal sessions) {
    Map<String, Object> members = members();
    members.put(ProcessStatus.SESSIONS_OPEN, (long) sessions.openSessions());
    return new ProcessStatus(
            members, sessions.rows().stream().map(row -> new StreamRow(members, row)).toList())
        .json();
  }

  private static Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("pid", ProcessHandle.current().pid());
    members.put("program", program());
    members.put(ProcessStatus.VERSION, BuildInfo.current().version());
    members.put(ProcessStatus.COMMIT, BuildInfo.current().commit());
    return members;
  }

  private static StreamRow row(Map<String, Object> process, Stream stream) {
    StreamStatus s = stream.status();
    StreamLink link = stream.link();
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("local", address(stream, true));
    row.put("remote", address(stream, false));
    row.put("role", stream.isClient() ? "client" : "server");
    row.put("carrier", s.isAccelerated() && link != null ? link.session().transportName() : "tcp");
    row.put("state", s.state().name().replace('_', '-'));
    row.put("out", s.outOnRing() ? "ring" : "plain");
    row.put("in", s.inOnRing() ? "ring" : "plain");
    row.put("doorbell", stream.lastDoorbell().name().toLowerCase(Locale.ROOT));
    for (Counter counter : Counter.OF_DIRECTION) {
      row.put(counter.key() + Way.OUT.suffix(), s.out().get(counter));
      row.put(counter.key() + Way.IN.suffix(), s.in().get(counter));
    }
    row.put("reason", s.reason().name());
    row.put("advice", s.reason().advice());
    return new StreamRow(process, row);
  }

  /** The main class or jar, as far as it is known, without what JSON would have to quote. */
  private static String program() {
    String command = System.getProperty("sun.java.command", "");
    String main = command.substring(0, (command + " ").indexOf(' '));
    String name = main.substring(main.lastIndexOf('/') + 1);
    return name.replaceAll("[^A-Za-z0-9._$-]", "?");
  }

  private static String address(Stream stream, boolean local) {
    try {
      @Nullable SocketAddress a =
          local ? stream.tcp().getLocalAddress() : stream.tcp().getRemoteAddress();
      return a == null ? "" : a.toString().replaceFirst("^[^/]*/", "");
    } catch (ClosedChannelException e) {
      return "closed";
    } catch (IOException e) {
      return "unknown";
    }
  }
}
