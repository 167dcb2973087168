package org.slipstream.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The numbers on the page of the wire protocol are those of the code. */
class WirePageTest {
  private static final String CONSTANT = "constant";

  private static Number constant(String type, String name) {
    try {
      Field field = Class.forName(type).getDeclaredField(name);
      field.setAccessible(true);
      return (Number) field.get(null);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(type + "." + name + " is on the page and not in the code", e);
    }
  }

  private static String cell(WirePage.Table table, List<String> row, String column) {
    return row.get(table.header().indexOf(column)).replace("`", "");
  }

  @Test
  void everyTableOfOffsetsAndConstantsSaysWhatItIsComparedWith() {
    List<WirePage.Table> numbers =
        WirePage.tables().stream()
            .filter(t -> t.header().contains("offset") || t.header().contains(CONSTANT))
            .toList();
    assertThat(numbers).hasSizeGreaterThan(20);
    assertThat(numbers).allMatch(t -> Set.of("layout", "values", "bytes").contains(t.kind()));
  }

  @Test
  void fieldsFollowEachOther() {
    Stream.of("layout", "bytes")
        .flatMap(kind -> WirePage.tables(kind).stream())
        .forEach(table -> {
          long next = WirePage.number(table.rows().getFirst().getFirst());
          for (List<String> row : table.rows()) {
            assertThat(next).as(row.toString()).isNotNegative();
            assertThat(WirePage.number(row.getFirst())).as(row.toString()).isEqualTo(next);
            long size = WirePage.size(row.get(1));
            next = size == WirePage.OPEN ? -1 : next + size;
          }
          if (table.kind().equals("layout") && table.arguments().size() > 1) {
            String name = table.arguments().get(1);
            assertThat(constant(table.arguments().getFirst(), name).longValue())
                .as(name)
                .isEqualTo(next);
          }
        });
  }

  @Test
  void offsetsAreThoseOfTheLayouts() {
    for (WirePage.Table table : WirePage.tables("layout")) {
      for (List<String> row : table.rows()) {
        String name = cell(table, row, CONSTANT);
        if (!name.isEmpty()) {
          assertThat(WirePage.number(row.getFirst()))
              .as(name)
              .isEqualTo(constant(table.arguments().getFirst(), name).longValue());
        }
      }
    }
  }

  @Test
  void valuesAreThoseOfTheConstants() {
    for (WirePage.Table table : WirePage.tables("values")) {
      for (List<String> row : table.rows()) {
        String value = table.header().contains("version") ? row.get(1) : row.getFirst();
        String[] name = named(table, row);
        assertThat(WirePage.number(value))
            .as(name[0] + "." + name[1])
            .isEqualTo(constant(name[0], name[1]).longValue());
      }
    }
  }

  /** Type and constant of a row. The type is written out, or one of those above the table. */
  private static String[] named(WirePage.Table table, List<String> row) {
    String text = cell(table, row, CONSTANT);
    int dot = text.lastIndexOf('.');
    String type = text.substring(0, dot);
    String whole =
        table.arguments().stream().filter(t -> t.endsWith("." + type)).findFirst().orElse(type);
    return new String[] {whole, text.substring(dot + 1)};
  }

  /** A new kind of message, frame or control byte, and a new word, have to be on the page. */
  @Test
  void nothingIsMissing() throws Exception {
    String page = Files.readString(Path.of("../docs/WIRE-PROTOCOL.md"));
    Set<String> missing = new TreeSet<>();
    for (WirePage.Table table : WirePage.tables("values")) {
      List<String> arguments = table.arguments();
      if (arguments.contains("all")) {
        missing.addAll(constants(arguments.getFirst(), Set.of(byte.class)));
      }
    }
    List<String> layouts = new ArrayList<>();
    WirePage.tables("layout").forEach(t -> layouts.add(t.arguments().getFirst()));
    for (String layout : layouts) {
      missing.addAll(constants(layout, Set.of(int.class, long.class)));
    }
    assertThat(missing).hasSizeGreaterThan(50);
    missing.removeIf(name -> page.contains("." + name + "`") || page.contains("`" + name + "`"));
    assertThat(missing).as("constants of the protocol that the page does not have").isEmpty();
  }

  private static Set<String> constants(String type, Set<Class<?>> types)
      throws ClassNotFoundException {
    return Arrays.stream(Class.forName(type).getDeclaredFields())
        .filter(f -> Modifier.isStatic(f.getModifiers()) && types.contains(f.getType()))
        .filter(f -> f.getType() == byte.class || !Modifier.isPrivate(f.getModifiers()))
        .map(Field::getName)
        .collect(Collectors.toSet());
  }
}
