package org.slipstream.core.rules;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.slipstream.it.fuzz.Corpus;

/** A rules file may hold anything: rules come out, or one sentence. */
class RulesFuzzTest {
  private static final Corpus CORPUS = Corpus.text("rules");
  private static final InetSocketAddress LOCAL = at("127.0.0.1", 5000);
  private static final InetSocketAddress REMOTE = at("fd00::1", 80);

  private static InetSocketAddress at(String address, int port) {
    return new InetSocketAddress(InetAddress.ofLiteral(address), port);
  }

  @Provide
  Arbitrary<byte[]> inputs() {
    return CORPUS.inputs();
  }

  @Property(edgeCases = EdgeCasesMode.NONE)
  void anythingIsRulesOrOneSentence(@ForAll("inputs") byte[] input) {
    try {
      Rules rules = Rules.parse("fuzz", new String(input, UTF_8));
      // Whatever was accepted can be asked.
      for (boolean client : new boolean[] {true, false}) {
        boolean one = rules.allow(client, LOCAL, REMOTE, "App");
        assertThat(rules.allow(client, LOCAL, REMOTE, "App")).isEqualTo(one);
        rules.allow(client, REMOTE, LOCAL, "");
      }
    } catch (Rules.InvalidRuleException e) {
      assertThat(e.getMessage()).startsWith("fuzz, line ").endsWith(".");
    }
  }

  @Example
  void theCorpusHasBoth() {
    int good = 0;
    for (byte[] seed : CORPUS.seeds()) {
      try {
        Rules.parse("fuzz", new String(seed, UTF_8));
        good++;
      } catch (Rules.InvalidRuleException e) {
        assertThat(e.getMessage()).contains("line");
      }
    }
    assertThat(good).isBetween(1, CORPUS.seeds().size() - 1);
  }
}
