package org.slipstream.servers;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What has to leave the kernel in a row: shares that must be exceeded.
 *
 * @param all of the bytes of all servers since the row before, closed streams included
 * @param each of the bytes of each server by itself; 0 asks for one byte
 * @param between of the bytes on streams that join two servers and are open at the end; NaN if the
 *     row keeps none
 */
public record Least(double all, double each, double between) {
  private static final Pattern STREAM =
      Pattern.compile("\\{\"local\":\"([^\"]*)\",\"remote\":\"([^\"]*)\"[^{}]*\\}");

  /**
   * A row whose servers each move at least a byte by a ring.
   *
   * @param all see above
   * @return the row's demands
   */
  public static Least of(double all) {
    return new Least(all, 0, Double.NaN);
  }

  /**
   * As this, with a demand on each server.
   *
   * @param share see above
   * @return the row's demands
   */
  public Least each(double share) {
    return new Least(all, share, between);
  }

  /**
   * As this, with a demand on streams between servers.
   *
   * @param share see above
   * @return the row's demands
   */
  public Least between(double share) {
    return new Least(all, each, share);
  }

  /**
   * Compares with what the tool said.
   *
   * @param servers process ids
   * @param earlier what {@code slipstream ps --totals} said when the row before ended
   * @param totals what {@code slipstream ps --totals} said
   * @param streams what {@code slipstream ps} said
   * @return the share of all servers since then
   * @throws AssertionError if something is not exceeded, or a server is not there
   */
  double check(List<Long> servers, Ps earlier, Ps totals, Ps streams) {
    require(totals.silent().isEmpty(), "no answer from " + totals.silent());
    require(streams.silent().isEmpty(), "no answer from " + streams.silent());
    require(!servers.isEmpty(), "there is no server");
    Bytes sum = Bytes.NONE;
    for (long server : servers) {
      String said = totals.said().getOrDefault(server, "");
      require(!said.isEmpty(), "server " + server + " is not listed");
      Bytes bytes = Bytes.of(said);
      exceeds(bytes.share(), each, said);
      sum = sum.plus(bytes).minus(Bytes.of(earlier.said().getOrDefault(server, "")));
    }
    exceeds(sum.share(), all, "all servers: " + sum);
    if (!Double.isNaN(between)) {
      Bytes joined = joined(servers, streams);
      exceeds(joined.share(), between, "streams between servers: " + joined);
    }
    return sum.share();
  }

  /** Bytes of the streams whose two ends are two of the servers; each byte counts at both ends. */
  private static Bytes joined(List<Long> servers, Ps streams) {
    Map<String, Long> owners = new HashMap<>();
    for (long server : servers) {
      Matcher stream = STREAM.matcher(streams.said().getOrDefault(server, ""));
      while (stream.find()) {
        owners.put(stream.group(1) + " " + stream.group(2), server);
      }
    }
    Bytes sum = Bytes.NONE;
    for (long server : servers) {
      Matcher stream = STREAM.matcher(streams.said().getOrDefault(server, ""));
      while (stream.find()) {
        @Nullable Long peer = owners.get(stream.group(2) + " " + stream.group(1));
        if (peer != null && peer != server) {
          sum = sum.plus(Bytes.of(stream.group()));
        }
      }
    }
    return sum;
  }

  private static void exceeds(double share, double least, String who) {
    require(
        share > least,
        String.format(
            Locale.ROOT,
            "a share of %.3f left the kernel, not more than %.3f: %s",
            share,
            least,
            who));
  }

  private static void require(boolean right, String complaint) {
    if (!right) {
      throw new AssertionError(complaint);
    }
  }
}
