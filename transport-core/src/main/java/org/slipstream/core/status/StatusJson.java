package org.slipstream.core.status;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.Counter;
import org.slipstream.core.stream.Flow;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.core.stream.StreamStatus;
import org.slipstream.core.stream.Total;
import org.slipstream.core.stream.Total.Way;

/** What {@code slipstream ps} prints, as JSON. All strings are our own words or addresses. */
public final class StatusJson {
  private StatusJson() {}

  /**
   * Describes this process.
   *
   * @param streams its open streams
   * @return one JSON object
   */
  public static String process(Collection<Stream> streams) {
    StringBuilder out = new StringBuilder(256);
    out.append("{\"pid\":").append(ProcessHandle.current().pid());
    out.append(",\"program\":\"").append(program()).append("\",\"streams\":[");
    String separator = "";
    for (Stream stream : streams) {
      out.append(separator);
      append(out, stream);
      separator = ",";
    }
    return out.append("]}").toString();
  }

  /**
   * Describes what all streams of this process have done, closed ones included.
   *
   * @param counters the sums
   * @return one JSON object with a member for each of {@link Total#ALL}
   */
  public static String totals(ProcessCounters counters) {
    StringBuilder out = new StringBuilder(512);
    out.append("{\"pid\":").append(ProcessHandle.current().pid());
    out.append(",\"program\":\"").append(program()).append('"');
    for (Total total : Total.ALL) {
      append(out, total.name(), counters.get(total));
    }
    return out.append('}').toString();
  }

  private static void append(StringBuilder out, Stream stream) {
    StreamStatus s = stream.status();
    StreamLink link = stream.link();
    String carrier = s.isAccelerated() && link != null ? link.session().transportName() : "tcp";
    out.append("{\"local\":\"").append(address(stream, true));
    out.append("\",\"remote\":\"").append(address(stream, false));
    out.append("\",\"role\":\"").append(stream.isClient() ? "client" : "server");
    out.append("\",\"carrier\":\"").append(carrier);
    out.append("\",\"state\":\"").append(s.state().name().replace('_', '-'));
    out.append("\",\"out\":\"").append(s.outOnRing() ? "ring" : "plain");
    out.append("\",\"in\":\"").append(s.inOnRing() ? "ring" : "plain");
    out.append('"');
    append(out, Way.OUT, s.out());
    append(out, Way.IN, s.in());
    out.append(",\"reason\":\"").append(s.reason());
    out.append("\",\"advice\":\"").append(s.reason().advice()).append("\"}");
  }

  private static void append(StringBuilder out, Way way, Flow flow) {
    for (Counter counter : Counter.OF_DIRECTION) {
      append(out, counter.key() + way.suffix(), flow.get(counter));
    }
  }

  private static void append(StringBuilder out, String name, long value) {
    out.append(",\"").append(name).append("\":").append(value);
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
          local ? stream.anchor().getLocalAddress() : stream.anchor().getRemoteAddress();
      return a == null ? "" : a.toString().replaceFirst("^[^/]*/", "");
    } catch (ClosedChannelException e) {
      return "closed";
    } catch (IOException e) {
      return "unknown";
    }
  }
}
