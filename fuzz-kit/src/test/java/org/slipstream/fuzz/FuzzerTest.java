package org.slipstream.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A fuzzer finds what is wrong with a toy, and says so in a way that can be repeated. */
class FuzzerTest {
  private final String seedBefore = System.getProperty(Fuzzer.SEED);
  private final String secondsBefore = System.getProperty(Fuzzer.SECONDS);

  /** Generous: a fuzzer that finds something ends at once. */
  @BeforeEach
  void repeatable() {
    System.setProperty(Fuzzer.SEED, "1");
    System.setProperty(Fuzzer.SECONDS, "60");
  }

  @AfterEach
  void restore() {
    restore(Fuzzer.SEED, seedBefore);
    restore(Fuzzer.SECONDS, secondsBefore);
  }

  private static void restore(String name, String value) {
    if (value == null) {
      System.clearProperty(name);
    } else {
      System.setProperty(name, value);
    }
  }

  private static Fuzzer toy() {
    return Fuzzer.hex("toy").refusing(IOException.class);
  }

  /** A parser without faults. */
  private static int parse(byte[] input, Trace trace) throws IOException {
    if (input.length < 3 || input[0] != 'S' || input[1] != 'L') {
      throw new IOException("no magic");
    }
    int length = Byte.toUnsignedInt(input[2]);
    if (length > input.length - 3) {
      throw new IOException("short");
    }
    trace.reached(length == 0 ? "empty" : "full");
    return length;
  }

  @Test
  void aParserWithoutFaultsPasses() {
    System.setProperty(Fuzzer.SECONDS, "0.2");
    assertThat(toy().reaching("empty", "full").run(FuzzerTest::parse)).isGreaterThan(4);
  }

  @Test
  void anExceptionThatWasNotDeclaredIsFoundAndItsInputMadeShort() {
    assertThatThrownBy(() ->
            toy()
                .run((input, trace) -> {
                  if (parse(input, trace) == 60) {
                    throw new IllegalStateException("off by one");
                  }
                }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("off by one")
        .hasMessageContaining("-Dtest.seed=1")
        .hasMessageContaining("shortened to 63")
        .hasMessageContaining("\n? 534c3c0000");
  }

  @Test
  void anAssertionOfTheTargetIsFound() {
    assertThatThrownBy(
            () -> toy().run((input, trace) -> assertThat(parse(input, trace)).isNotEqualTo(7)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("? 534c0700000000000000");
  }

  @Test
  void anExplosionOfMemoryIsFound() {
    byte[][] kept = new byte[1][];
    assertThatThrownBy(() ->
            toy()
                .run((input, trace) -> {
                  if (parse(input, trace) == 9) {
                    kept[0] = new byte[8 << 20];
                  }
                }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("bytes were allocated")
        .hasMessageContaining("? 534c09000000000000000000");
  }

  @Test
  void whatMustBeAcceptedIsNot() {
    assertThatThrownBy(() ->
            toy()
                .run((input, trace) -> {
                  if (parse(input, trace) == 2) {
                    trace.refused("two");
                  }
                }))
        .hasMessageContaining("line 3: ")
        .hasMessageContaining("should be accepted: two");
  }

  @Test
  void whatMustBeRefusedIsNot() {
    assertThatThrownBy(() -> toy().run((input, trace) -> trace.reached("anywhere")))
        .hasMessageContaining("line 5: ")
        .hasMessageContaining("should be refused: [anywhere] accepted");
  }

  @Test
  void aPlaceThatTheCorpusDoesNotReachIsMissed() {
    assertThatThrownBy(() -> toy().reaching("empty", "behind the moon").run(FuzzerTest::parse))
        .hasMessageContaining("no accepted input of the corpus reaches [behind the moon]");
  }

  /** The first two bytes are right in the seeds only; a mutant needs a way of small steps. */
  @Test
  void whatLedSomewhereNewIsMutatedFurther() {
    assertThatThrownBy(() ->
            toy()
                .run((input, trace) -> {
                  parse(input, trace);
                  int steps = 0;
                  while (steps < 3
                      && steps + 3 < input.length
                      && input[steps + 3] == (byte) (steps + 200)) {
                    steps++;
                  }
                  trace.reached("step " + steps);
                  if (steps == 3) {
                    throw new IllegalStateException("found");
                  }
                }))
        .hasMessageContaining("found")
        .hasMessageContaining("c8c9ca");
  }

  /** CI runs what failed again, and a find must not become a flake. */
  @Test
  void aSecondRunBeginsWithWhatFailed() {
    System.clearProperty(Fuzzer.SEED);
    List<Integer> found = new ArrayList<>();
    Target target =
        (input, trace) -> {
          if (parse(input, trace) > 10) {
            found.add(Arrays.hashCode(input));
            throw new IllegalStateException("too long");
          }
        };
    assertThatThrownBy(() -> toy().run(target)).hasMessageContaining("too long");
    final int first = found.getFirst();
    found.clear();
    assertThatThrownBy(() -> toy().run(target))
        .hasMessageContaining("too long")
        .hasMessageContaining("input 4: "); // the corpus has so many before it
    assertThat(found.getFirst()).isEqualTo(first);
  }

  @Test
  void aRunOfNoTimeTakesSomeMutantsAllTheSame() {
    System.setProperty(Fuzzer.SECONDS, "0");
    assertThat(toy().run(FuzzerTest::parse)).isEqualTo(4 + 500);
    assertThat(toy().atLeast(7).run(FuzzerTest::parse)).isEqualTo(4 + 7);
  }

  @Test
  void theSameSeedMakesTheSameInputs() {
    byte[][] seeds = {{1, 2, 3, 4, 5, 6, 7, 8}, {9, 9, 9, 9}};
    Mutator a = new Mutator(5, 0, 4, 100);
    Mutator b = new Mutator(5, 0, 4, 100);
    for (int i = 0; i < 1_000; i++) {
      byte[] input = a.next(Arrays.asList(seeds));
      assertThat(input).isEqualTo(b.next(Arrays.asList(seeds))).hasSizeLessThanOrEqualTo(300);
    }
    assertThat(seeds).isEqualTo(new byte[][] {{1, 2, 3, 4, 5, 6, 7, 8}, {9, 9, 9, 9}});
  }

  @Test
  void textIsRead() {
    System.setProperty(Fuzzer.SECONDS, "0.1");
    Fuzzer.text("toy")
        .run((input, trace) -> {
          String text = new String(input, java.nio.charset.StandardCharsets.UTF_8);
          if (!text.startsWith("on # 1\noff")) {
            trace.refused("another text");
          }
        });
  }

  @Test
  void aCorpusThatCanNotBeReadSaysWhere() {
    assertThatThrownBy(() -> Corpus.readHex("f", List.of("# ok", "00")))
        .hasMessage("f, line 2: an input begins with +, - or ?");
    assertThatThrownBy(() -> Corpus.readHex("f", List.of("+ 0", "- 00")))
        .hasMessageStartingWith("f, line 1: ");
  }
}
