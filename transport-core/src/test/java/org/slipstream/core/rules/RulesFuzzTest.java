package org.slipstream.core.rules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.slipstream.fuzz.FuzzTest;
import org.slipstream.fuzz.Fuzzer;
import org.slipstream.fuzz.Trace;

/** A rules file may hold anything: rules come out, or one sentence. */
class RulesFuzzTest {
  private static final InetSocketAddress LOCAL = at("127.0.0.1", 5000);
  private static final InetSocketAddress REMOTE = at("fd00::1", 80);

  private static InetSocketAddress at(String address, int port) {
    return new InetSocketAddress(InetAddress.ofLiteral(address), port);
  }

  @FuzzTest
  void anythingIsRulesOrOneSentence() {
    Fuzzer.text("rules")
        .reaching("a rule allows", "a rule forbids")
        .refusing(Rules.InvalidRuleException.class)
        .allocating(4 << 20)
        .run(RulesFuzzTest::parse);
  }

  private static void parse(byte[] input, Trace trace) throws Exception {
    try {
      Rules rules = Rules.parse("fuzz", new String(input, UTF_8));
      // Whatever was accepted can be asked.
      for (boolean client : new boolean[] {true, false}) {
        boolean one = rules.allow(client, LOCAL, REMOTE, "App");
        assertThat(rules.allow(client, LOCAL, REMOTE, "App")).isEqualTo(one);
        rules.allow(client, REMOTE, LOCAL, "");
        trace.reached(one ? "a rule allows" : "a rule forbids");
      }
    } catch (Rules.InvalidRuleException e) {
      assertThat(e.getMessage()).startsWith("fuzz, line ").endsWith(".");
      throw e;
    }
  }
}
