package org.slipstream.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tables of docs/WIRE-PROTOCOL.md. A comment above a table says what its numbers are compared
 * with: {@code <!-- layout CLASS [SIZE] -->} with offsets in constants of a class, {@code <!--
 * values [CLASS ... [all byte]] -->} with constants, {@code <!-- bytes NAME -->} with what the code
 * writes; {@code <!-- vectors -->} with what it computes.
 */
public final class WirePage {
  private static final Path FILE = Path.of("../docs/WIRE-PROTOCOL.md");
  private static final Pattern DIRECTIVE = Pattern.compile("<!-- (\\w+)((?: \\S+)*) -->");
  private static final Pattern NUMBER =
      Pattern.compile("(?:0x([0-9A-F]+)|(\\d+))(?: (KiB|MiB|ms|s))?");

  /** The size of what has none: the last row of a table. */
  static final int OPEN = -1;

  /**
   * A table and what it is compared with.
   *
   * @param kind the first word of the comment; empty if there is no comment
   * @param arguments its other words
   * @param header the names of the columns
   * @param rows the cells
   */
  record Table(String kind, List<String> arguments, List<String> header, List<List<String>> rows) {}

  private WirePage() {}

  /** All of them. */
  static List<Table> tables() {
    List<Table> tables = new ArrayList<>();
    String kind = "";
    List<String> arguments = List.of();
    List<List<String>> rows = new ArrayList<>();
    for (String line : lines()) {
      Matcher directive = DIRECTIVE.matcher(line);
      if (line.startsWith("|")) {
        rows.add(cells(line));
      } else if (!rows.isEmpty()) {
        tables.add(table(kind, arguments, rows));
        rows = new ArrayList<>();
        kind = "";
        arguments = List.of();
      }
      if (directive.matches()) {
        kind = directive.group(1);
        arguments = List.of(directive.group(2).strip().split(" ", -1));
      }
    }
    return tables;
  }

  private static Table table(String kind, List<String> arguments, List<List<String>> rows) {
    return new Table(kind, arguments, rows.getFirst(), List.copyOf(rows.subList(2, rows.size())));
  }

  private static List<String> lines() {
    try {
      List<String> lines = new ArrayList<>(Files.readAllLines(FILE));
      lines.add("");
      return lines;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> cells(String line) {
    String inner = line.substring(1, line.lastIndexOf('|'));
    return Arrays.stream(inner.split("(?<!\\\\)\\|", -1)).map(String::strip).toList();
  }

  /** The tables of a kind. */
  static List<Table> tables(String kind) {
    return tables().stream().filter(t -> t.kind().equals(kind)).toList();
  }

  /**
   * The rows of a table.
   *
   * @param comment what is written above it
   */
  public static List<List<String>> rows(String comment) {
    return tables().stream()
        .filter(t -> comment.equals(t.kind() + " " + String.join(" ", t.arguments())))
        .findFirst()
        .orElseThrow(() -> new AssertionError("WIRE-PROTOCOL.md has no table of " + comment))
        .rows();
  }

  /** A number, with a unit of bytes or of time; times are nanoseconds. */
  static long number(String text) {
    Matcher m = NUMBER.matcher(text.replace("`", ""));
    assertThat(m.matches()).as("a number: " + text).isTrue();
    String hex = m.group(1);
    long n = hex == null ? Long.parseLong(m.group(2)) : Long.parseLong(hex, 16);
    return n
        * switch (Objects.requireNonNullElse(m.group(3), "")) {
          case "KiB" -> 1L << 10;
          case "MiB" -> 1L << 20;
          case "ms" -> 1_000_000L;
          case "s" -> 1_000_000_000L;
          default -> 1L;
        };
  }

  /** A size; {@link #OPEN} for a dash. */
  static long size(String text) {
    return text.equals("–") ? OPEN : number(text);
  }

  /**
   * Compares a table of offsets and sizes with what the code has written.
   *
   * @param name behind {@code bytes} in the comment above the table
   * @param written by the code
   * @param expected what is in the fields, in the order of the rows: a number, big-endian, or
   *     bytes; null if anything may be there
   */
  public static void assertBytes(String name, byte[] written, Object... expected) {
    List<List<String>> rows = rows("bytes " + name);
    assertThat(rows).as(name).hasSameSizeAs(expected);
    long end = 0;
    for (int i = 0; i < expected.length; i++) {
      String field = name + ": " + rows.get(i);
      int offset = (int) number(rows.get(i).get(0));
      long size = size(rows.get(i).get(1));
      end = size == OPEN ? written.length : offset + size;
      assertThat(end).as(field).isLessThanOrEqualTo(written.length);
      byte[] there = Arrays.copyOfRange(written, offset, (int) end);
      if (expected[i] instanceof byte[] bytes) {
        assertThat(there).as(field).isEqualTo(bytes);
      } else if (expected[i] instanceof Number number) {
        assertThat(new BigInteger(there)).as(field).isEqualTo(number.longValue());
      }
    }
    assertThat(end).as(name + " ends").isEqualTo(written.length);
  }

  /**
   * The result of a test vector.
   *
   * @param name in the first column
   * @return hexadecimal digits
   */
  public static String vector(String name) {
    return tables("vectors").getFirst().rows().stream()
        .filter(row -> row.getFirst().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("WIRE-PROTOCOL.md has no vector " + name))
        .getLast()
        .replace("`", "");
  }

  /**
   * The bytes that remain in a buffer.
   *
   * @param buffer stays as it is
   */
  public static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }
}
