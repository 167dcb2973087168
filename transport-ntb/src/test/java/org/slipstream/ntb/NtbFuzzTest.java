package org.slipstream.ntb;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.util.Arrays;
import org.slipstream.fuzz.FuzzTest;
import org.slipstream.fuzz.Fuzzer;

/**
 * Another node's data interrupts and advertisements may be anything, and none proves a key by
 * chance.
 */
class NtbFuzzTest {
  private static final MessageMac MAC = MessageMac.of("0123456789abcdef".getBytes(US_ASCII));

  @FuzzTest
  void aMessageIsReadOrRefusedAndProvesNothing() {
    Fuzzer.hex("interrupt")
        .refusing(IOException.class)
        .reaching("kind 1", "kind 2", "kind 3", "kind 4")
        .run((input, trace) -> {
          Message message = Message.read(input);
          assertThat(message.isProven(MAC, 0)).isFalse();
          assertThat(message.isProven(MAC, message.challenge())).isFalse();
          trace.reached("kind " + message.kind());
        });
  }

  @FuzzTest
  void anAdvertisementIsOneOrNone() {
    InetAddress here = InetAddress.ofLiteral("127.0.0.1");
    Fuzzer.hex("advertisement")
        .reaching("listens here", "another address")
        .run((input, trace) -> {
          Advertisement advertisement = Advertisement.read(input);
          if (advertisement == null) {
            trace.refused("none");
            return;
          }
          // What was understood is what was said.
          assertThat(advertisement.bytes()).isEqualTo(Arrays.copyOf(input, Advertisement.BYTES));
          trace.reached(advertisement.listensAt(here) ? "listens here" : "listens elsewhere");
          if (!advertisement.listensAt(InetAddress.ofLiteral("::2"))) {
            trace.reached("another address");
          }
        });
  }
}
