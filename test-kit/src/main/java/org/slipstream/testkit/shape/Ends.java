package org.slipstream.testkit.shape;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slipstream.testkit.Background;
import org.slipstream.testkit.Bytes;
import org.slipstream.testkit.shape.Shape.End;

/** What contracts do with ends of any shape. */
final class Ends {
  private Ends() {}

  /** Reads one byte, or -1 at the end of the stream. */
  static int readOne(End end) throws Exception {
    ByteBuffer one = ByteBuffer.allocate(1);
    int n = end.read(one);
    return n == 1 ? one.get(0) & 0xff : n;
  }

  /** Reads up to so many bytes, fewer if the stream ends; returns how many. */
  static int count(End end, int most) throws Exception {
    ByteBuffer chunk = ByteBuffer.allocate(4096);
    int total = 0;
    while (total < most) {
      int n = end.read(chunk.clear().limit(Math.min(chunk.capacity(), most - total)));
      if (n < 0) {
        break;
      }
      total += n;
    }
    return total;
  }

  /** Sends text one way and fails unless it arrives. */
  static void exchange(End from, End to, String text) throws Exception {
    from.write(Bytes.ascii(text));
    ByteBuffer target = ByteBuffer.allocate(text.length());
    while (target.hasRemaining()) {
      assertThat(to.read(target)).as("bytes read, %d are missing", target.remaining()).isPositive();
    }
    assertThat(new String(target.array(), StandardCharsets.US_ASCII)).isEqualTo(text);
  }

  /** What an action throws; null if nothing. */
  static @Nullable Throwable failure(Background.Action action) {
    try {
      action.run();
      return null;
    } catch (Exception e) {
      return e;
    }
  }
}
