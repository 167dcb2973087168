package org.slipstream.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The inputs from which a fuzzer begins, in a file of the test's resources.
 *
 * <p>{@code fuzz/NAME.hex}: a line that begins with {@code +}, {@code -} or {@code ?} begins an
 * input that must be accepted, must be refused, or may be either. What follows, and the lines after
 * it, are its bytes in hexadecimal digits; blanks do not count, and {@code #} begins a comment.
 *
 * <p>{@code fuzz/NAME.txt}: the same signs, and the text behind one blank is the input. {@code \n}
 * stands for the end of a line; there are no comments, and an input is one line.
 */
final class Corpus {

  /** What must become of an input. */
  enum Expectation {
    ACCEPTED('+'),
    REFUSED('-'),
    ANYTHING('?');

    final char sign;

    Expectation(char sign) {
      this.sign = sign;
    }
  }

  /** An input of the file. */
  static final class Entry {
    private final Expectation expectation;
    private final byte[] bytes;
    private final int line;

    Entry(Expectation expectation, byte[] bytes, int line) {
      this.expectation = expectation;
      this.bytes = bytes;
      this.line = line;
    }

    Expectation expectation() {
      return expectation;
    }

    byte[] bytes() {
      return bytes;
    }

    int line() {
      return line;
    }
  }

  private final String file;
  private final boolean text;
  private final List<Entry> entries;

  private Corpus(String file, boolean text, List<Entry> entries) {
    this.file = file;
    this.text = text;
    this.entries = entries;
  }

  static Corpus hex(String name) {
    String file = "fuzz/" + name + ".hex";
    return new Corpus(file, false, readHex(file, lines(file)));
  }

  static Corpus text(String name) {
    String file = "fuzz/" + name + ".txt";
    return new Corpus(file, true, readText(file, lines(file)));
  }

  private static List<String> lines(String file) {
    try (InputStream in = Corpus.class.getResourceAsStream('/' + file)) {
      return new String(Objects.requireNonNull(in, file).readAllBytes(), UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<Entry> readHex(String file, List<String> lines) {
    List<Entry> entries = new ArrayList<>();
    Expectation expectation = null;
    StringBuilder digits = new StringBuilder();
    int began = 0;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).replaceFirst("#.*", "").replaceAll("\\s", "");
      Expectation next = line.isEmpty() ? null : expectation(line.charAt(0));
      if (next != null) {
        if (expectation != null) {
          entries.add(new Entry(expectation, parse(file, began, digits), began));
        }
        expectation = next;
        began = i + 1;
        digits.setLength(0);
        line = line.substring(1);
      } else if (!line.isEmpty() && expectation == null) {
        throw new IllegalArgumentException(
            file + ", line " + (i + 1) + ": an input begins with +, - or ?");
      }
      digits.append(line);
    }
    if (expectation != null) {
      entries.add(new Entry(expectation, parse(file, began, digits), began));
    }
    return entries;
  }

  private static byte[] parse(String file, int line, CharSequence digits) {
    try {
      return HexFormat.of().parseHex(digits);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ", line " + line + ": " + e.getMessage(), e);
    }
  }

  private static List<Entry> readText(String file, List<String> lines) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      Expectation expectation = line.isEmpty() ? null : expectation(line.charAt(0));
      if (expectation == null) {
        throw new IllegalArgumentException(
            file + ", line " + (i + 1) + ": an input begins with +, - or ?");
      }
      String input = line.length() < 2 ? "" : line.substring(2).replace("\\n", "\n");
      entries.add(new Entry(expectation, input.getBytes(UTF_8), i + 1));
    }
    return entries;
  }

  private static @Nullable Expectation expectation(char sign) {
    for (Expectation e : Expectation.values()) {
      if (e.sign == sign) {
        return e;
      }
    }
    return null;
  }

  String file() {
    return file;
  }

  List<Entry> entries() {
    return entries;
  }

  /** The line by which an input can be added to the file; the sign is for people to choose. */
  String line(byte[] input) {
    String asText = new String(input, UTF_8).replace("\n", "\\n");
    return "? " + (text ? asText : HexFormat.of().formatHex(input));
  }
}
