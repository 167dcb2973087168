package org.slipstream.core.stream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** Which bytes behind a close are control bytes, and which are data. */
class LateControlBytesTest {
  private static final String MARK = "0123456789abcdef";
  private static final String DOORBELL = "\u0001";

  private static boolean onTcp(String received) {
    return taken(LateControlBytes.onTcp(ByteBuffer.wrap(MARK.getBytes(US_ASCII))), received);
  }

  private static boolean inRing(String received) {
    return taken(LateControlBytes.inRing(100), received);
  }

  /** The answer must not depend on the pieces in which bytes arrive. */
  private static boolean taken(LateControlBytes late, String received) {
    boolean all = true;
    for (byte b : received.getBytes(US_ASCII)) {
      all = late.accept(ByteBuffer.wrap(new byte[] {b}));
    }
    return all;
  }

  private static String message(int code, long position) {
    ByteBuffer b = ByteBuffer.allocate(1 + Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    return new String(b.put((byte) code).putLong(position).array(), US_ASCII);
  }

  @Test
  void onTcpOnlyTheMarkerIsNoData() {
    assertThat(onTcp("")).isTrue();
    assertThat(onTcp(MARK.substring(0, 5))).isTrue();
    assertThat(onTcp(MARK)).isTrue();
    assertThat(onTcp("!")).isFalse();
    assertThat(onTcp("01!")).isFalse();
    assertThat(onTcp(DOORBELL)).isFalse();
  }

  @Test
  void behindTheMarkerTheDirectionIsInTheRing() {
    assertThat(onTcp(MARK + DOORBELL + DOORBELL)).isTrue();
    assertThat(onTcp(MARK + "!")).isFalse();
    assertThat(inRing(DOORBELL)).isTrue();
    assertThat(inRing("!")).isFalse();
  }

  @Test
  void behindBackThereIsData() {
    assertThat(inRing(DOORBELL + message(ControlBytes.BACK, 7))).isTrue();
    assertThat(inRing(message(ControlBytes.BACK, 7) + "!")).isFalse();
  }

  @Test
  void behindFailTheBytesThatWereReadComeOnceMore() {
    assertThat(inRing(message(ControlBytes.FAIL, 98))).isTrue();
    assertThat(inRing(message(ControlBytes.FAIL, 98) + "ab")).isTrue();
    assertThat(inRing(message(ControlBytes.FAIL, 98) + "abc")).isFalse();
  }
}
