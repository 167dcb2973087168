package org.slipstream.benchmarks.driver;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A reader of JSON text, as much as the answers of {@code slipstream ps} need. Objects become maps,
 * arrays lists, numbers {@code Double} or {@code Long}, and the word null {@link #NULL}.
 */
final class Json {
  /** Stands for null, which neither the maps nor the lists may hold. */
  static final Object NULL = new Object();

  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Object parse(String text) {
    Json json = new Json(text);
    Object value = json.value();
    json.blanks();
    if (json.at != text.length()) {
      throw json.wrong();
    }
    return value;
  }

  private Object value() {
    blanks();
    return switch (peek()) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", NULL);
      default -> number();
    };
  }

  private Map<String, Object> object() {
    Map<String, Object> members = new LinkedHashMap<>();
    take('{');
    blanks();
    while (peek() != '}') {
      blanks();
      String key = string();
      blanks();
      take(':');
      members.put(key, value());
      separator('}');
    }
    take('}');
    return members;
  }

  private List<Object> array() {
    List<Object> elements = new ArrayList<>();
    take('[');
    blanks();
    while (peek() != ']') {
      elements.add(value());
      separator(']');
    }
    take(']');
    return elements;
  }

  /** Takes a comma, unless this is the end. */
  private void separator(char end) {
    blanks();
    if (peek() != end) {
      take(',');
      blanks();
      if (peek() == end) {
        throw wrong();
      }
    }
  }

  private String string() {
    take('"');
    StringBuilder characters = new StringBuilder();
    while (peek() != '"') {
      char next = text.charAt(at++);
      characters.append(next == '\\' ? escaped() : next);
    }
    take('"');
    return characters.toString();
  }

  private char escaped() {
    char kind = peek();
    at++;
    return switch (kind) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case '"', '\\', '/' -> kind;
      case 'u' -> {
        if (at + 4 > text.length()) {
          throw wrong();
        }
        at += 4;
        yield (char) Integer.parseInt(text, at - 4, at, 16);
      }
      default -> throw wrong();
    };
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) {
      throw wrong();
    }
    at += word.length();
    return value;
  }

  private Number number() {
    int start = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String digits = text.substring(start, at);
    try {
      if (digits.chars().allMatch(digit -> digit == '-' || Character.isDigit(digit))) {
        return Long.parseLong(digits);
      }
      return Double.parseDouble(digits);
    } catch (NumberFormatException notOne) {
      at = start;
      throw wrong();
    }
  }

  private void blanks() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw wrong();
    }
    return text.charAt(at);
  }

  private void take(char expected) {
    if (peek() != expected) {
      throw wrong();
    }
    at++;
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException("this is no JSON, at character " + at);
  }
}
