package org.slipstream.core.status;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.core.stream.StreamStatus;

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
    out.append("{\"pid\":").append(ProcessHandle.current().pid()).append(",\"streams\":[");
    String separator = "";
    for (Stream stream : streams) {
      out.append(separator);
      append(out, stream);
      separator = ",";
    }
    return out.append("]}").toString();
  }

  private static void append(StringBuilder out, Stream stream) {
    StreamStatus s = stream.status();
    StreamLink link = stream.link();
    String carrier = s.isAccelerated() && link != null ? link.session().transportName() : "tcp";
    out.append("{\"local\":\"").append(address(stream, true));
    out.append("\",\"remote\":\"").append(address(stream, false));
    out.append("\",\"role\":\"").append(stream.isClient() ? "client" : "server");
    out.append("\",\"carrier\":\"").append(carrier);
    out.append("\",\"out\":\"").append(s.outOnRing() ? "ring" : "plain");
    out.append("\",\"in\":\"").append(s.inOnRing() ? "ring" : "plain");
    out.append("\",\"ringBytesOut\":").append(s.ringBytesOut());
    out.append(",\"ringBytesIn\":").append(s.ringBytesIn());
    out.append(",\"plainBytesOut\":").append(s.plainBytesOut());
    out.append(",\"plainBytesIn\":").append(s.plainBytesIn());
    out.append(",\"reason\":\"").append(s.reason());
    out.append("\",\"advice\":\"").append(s.reason().advice()).append("\"}");
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
