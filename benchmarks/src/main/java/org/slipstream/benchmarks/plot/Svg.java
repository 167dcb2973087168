package org.slipstream.benchmarks.plot;

import java.util.Locale;

/** Writes elements; what is given is escaped. */
final class Svg {
  private final StringBuilder text = new StringBuilder();

  /** Begins an element: names and values of its attributes in turn. */
  Svg open(String element, Object... attributes) {
    start(element, attributes);
    text.append(">\n");
    return this;
  }

  Svg close(String element) {
    text.append("</").append(element).append(">\n");
    return this;
  }

  /** An element without content. */
  Svg empty(String element, Object... attributes) {
    start(element, attributes);
    text.append("/>\n");
    return this;
  }

  /** An element with text in it. */
  Svg words(String element, String content, Object... attributes) {
    start(element, attributes);
    text.append('>').append(escaped(content)).append("</").append(element).append(">\n");
    return this;
  }

  Svg raw(String xml) {
    text.append(xml);
    return this;
  }

  private void start(String element, Object... attributes) {
    text.append('<').append(element);
    for (int i = 0; i < attributes.length; i += 2) {
      text.append(' ').append(attributes[i]).append("=\"");
      text.append(escaped(value(attributes[i + 1]))).append('"');
    }
  }

  private static String value(Object value) {
    return value instanceof Double number ? number(number) : value.toString();
  }

  /** Tenths of a pixel are enough. */
  static String number(double value) {
    String text = String.format(Locale.ROOT, "%.1f", value);
    return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
