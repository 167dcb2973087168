package org.slipstream.benchmarks.programs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/**
 * What a client saw in one slice.
 *
 * @param count recorded exchanges: round trips, messages or connections
 * @param nanos how long they took together
 * @param exchanges all exchanges, with those of the warm-up, for figures per process
 * @param histogram nanoseconds of each recorded exchange
 */
public record Report(long count, long nanos, long exchanges, Histogram histogram) {
  /** A minute: no exchange of a healthy pair takes longer, and a sick one is cut off here. */
  private static final long HIGHEST_NANOS = 60_000_000_000L;

  private static final int DIGITS = 3;

  private static final Pattern LINE =
      Pattern.compile("result count=(\\d+) nanos=(\\d+) exchanges=(\\d+) histogram=(\\S+)");

  /** Returns an empty histogram of the range and precision that all reports share. */
  public static Histogram newHistogram() {
    return new Histogram(1, HIGHEST_NANOS, DIGITS);
  }

  /** Records one time, cut to the range of the histogram. */
  public static void record(Histogram histogram, long nanos, long times) {
    histogram.recordValueWithCount(Math.clamp(nanos, 1L, HIGHEST_NANOS), times);
  }

  /** Returns the answer line for this report. */
  public String toLine() {
    ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(bytes);
    ByteBuffer text = Base64.getEncoder().encode(bytes.flip().slice(0, length));
    // Put together by hand: a formatter would write the digits of the user's language.
    return "result count="
        + count
        + " nanos="
        + nanos
        + " exchanges="
        + exchanges
        + " histogram="
        + StandardCharsets.US_ASCII.decode(text);
  }

  /** Reads what {@link #toLine} wrote. */
  public static Report parse(String line) {
    Matcher parts = LINE.matcher(line);
    if (!parts.matches()) {
      throw new IllegalArgumentException("'" + line + "' is not a result");
    }
    ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(parts.group(4)));
    try {
      return new Report(
          Long.parseLong(parts.group(1)),
          Long.parseLong(parts.group(2)),
          Long.parseLong(parts.group(3)),
          Histogram.decodeFromCompressedByteBuffer(bytes, HIGHEST_NANOS));
    } catch (DataFormatException broken) {
      throw new IllegalArgumentException("the histogram of a result is broken", broken);
    }
  }
}
