package org.slipstream.it.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** The seeds of one parser, and what becomes of them. */
public final class Corpus {
  private static final int MOST_CHANGES = 8;
  private static final int LONGEST_RANDOM = 300;

  /** Where parsers have their limits. */
  private static final Long[] INTERESTING = {
    0L,
    1L,
    -1L,
    2L,
    127L,
    128L,
    255L,
    256L,
    1023L,
    1024L,
    1025L,
    4096L,
    65_535L,
    65_536L,
    (long) Integer.MAX_VALUE,
    (long) Integer.MIN_VALUE,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  private final List<byte[]> seeds;

  private Corpus(List<byte[]> seeds) {
    this.seeds = seeds;
  }

  /**
   * Reads {@code fuzz/NAME.hex}: an input a line, in hexadecimal digits; blanks are ignored, {@code
   * #} begins a comment.
   *
   * @param name of the parser
   * @return its seeds
   */
  public static Corpus hex(String name) {
    return new Corpus(
        lines(name + ".hex").stream()
            .map(l -> l.replaceFirst("#.*", "").replaceAll("\\s", ""))
            .filter(l -> !l.isEmpty())
            .map(HexFormat.of()::parseHex)
            .toList());
  }

  /**
   * Reads {@code fuzz/NAME.txt}: an input a line; {@code \n} stands for the end of a line in it.
   *
   * @param name of the parser
   * @return its seeds
   */
  public static Corpus text(String name) {
    return new Corpus(
        lines(name + ".txt").stream().map(l -> l.replace("\\n", "\n").getBytes(UTF_8)).toList());
  }

  private static List<String> lines(String file) {
    try (InputStream in = Corpus.class.getResourceAsStream("/fuzz/" + file)) {
      return new String(Objects.requireNonNull(in, file).readAllBytes(), UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The seeds as they are.
   *
   * @return in the order of the file
   */
  public List<byte[]> seeds() {
    return seeds;
  }

  /**
   * Seeds with a few changes, or bytes that were never a seed.
   *
   * @return inputs that shrink to the fewest changes
   */
  public Arbitrary<byte[]> inputs() {
    Arbitrary<byte[]> random = Arbitraries.bytes().array(byte[].class).ofMaxSize(LONGEST_RANDOM);
    return Arbitraries.frequencyOf(
        net.jqwik.api.Tuple.of(9, mutants()), net.jqwik.api.Tuple.of(1, random));
  }

  private Arbitrary<byte[]> mutants() {
    Arbitrary<Long> values =
        Arbitraries.oneOf(Arbitraries.of(INTERESTING), Arbitraries.longs().between(-300, 300));
    Arbitrary<List<Mutation>> changes =
        Combinators.combine(
                Arbitraries.of(Mutation.Kind.class),
                Arbitraries.integers().between(0, Integer.MAX_VALUE),
                values)
            .as(Mutation::new)
            .list()
            .ofMaxSize(MOST_CHANGES);
    return Combinators.combine(Arbitraries.of(seeds), Arbitraries.of(seeds), changes)
        .as(Corpus::mutant);
  }

  private static byte[] mutant(byte[] seed, byte[] other, List<Mutation> changes) {
    byte[] bytes = seed;
    for (Mutation change : changes) {
      bytes = change.apply(bytes, other);
    }
    return bytes;
  }
}
