package org.slipstream.agent.fabric;

import java.util.Collection;
import java.util.Locale;
import java.util.Map;

/** Writes maps, collections, strings, numbers and truth values as one line of JSON. */
final class Json {
  private Json() {}

  static String of(Object value) {
    StringBuilder out = new StringBuilder();
    append(out, value);
    return out.toString();
  }

  private static void append(StringBuilder out, Object value) {
    switch (value) {
      case Map<?, ?> map -> {
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          out.append(separator);
          quote(out, String.valueOf(entry.getKey()));
          out.append(':');
          append(out, entry.getValue());
          separator = ",";
        }
        out.append(map.isEmpty() ? "{}" : "}");
      }
      case Collection<?> list -> {
        String separator = "[";
        for (Object element : list) {
          out.append(separator);
          append(out, element);
          separator = ",";
        }
        out.append(list.isEmpty() ? "[]" : "]");
      }
      case Double number -> out.append(String.format(Locale.ROOT, "%.3f", number));
      case Number number -> out.append(number);
      case Boolean truth -> out.append(truth);
      default -> quote(out, value.toString());
    }
  }

  private static void quote(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || c == 0x7f) {
        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }
}
