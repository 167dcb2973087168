package org.slipstream.core.rules;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which streams may be accelerated. The first rule that matches decides; a stream that none matches
 * may be. Immutable. {@code docs/RULES.md} has the grammar.
 */
public final class Rules {
  /** Everything may be accelerated. */
  public static final Rules NONE = new Rules(List.of());

  private final List<Rule> rules;

  private Rules(List<Rule> rules) {
    this.rules = List.copyOf(rules);
  }

  /** Rules that can not be understood. The message is one sentence with the line. */
  public static final class InvalidRuleException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    InvalidRuleException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * Reads rules, one a line; {@code ;} ends a line too, {@code #} begins a comment.
   *
   * @param source where they come from, for messages
   * @param text the rules
   * @return the rules, in their order
   * @throws InvalidRuleException naming the first line that is wrong, and why
   */
  public static Rules parse(String source, String text) {
    List<Rule> rules = new ArrayList<>();
    int number = 0;
    for (String line : text.split("\\R", -1)) {
      number++;
      int comment = line.indexOf('#');
      String code = comment < 0 ? line : line.substring(0, comment);
      for (String one : code.split(";", -1)) {
        if (!one.isBlank()) {
          try {
            rules.add(rule(one.strip()));
          } catch (IllegalArgumentException e) {
            throw new InvalidRuleException(
                source + ", line " + number + ": " + e.getMessage() + ".", e);
          }
        }
      }
    }
    return new Rules(rules);
  }

  /**
   * These rules, and then others.
   *
   * @param others asked where none of these matches
   * @return both
   */
  public Rules then(Rules others) {
    List<Rule> all = new ArrayList<>(rules);
    all.addAll(others.rules);
    return new Rules(all);
  }

  /**
   * Whether a stream may be accelerated.
   *
   * @param client whether this end connected
   * @param local this end's address
   * @param remote the other end's address
   * @param process name of this process
   * @return false if a rule forbids it
   */
  public boolean allow(
      boolean client, InetSocketAddress local, InetSocketAddress remote, String process) {
    for (Rule rule : rules) {
      if (rule.matches(client, local, remote, process)) {
        return rule.on();
      }
    }
    return true;
  }

  /**
   * Whether everything is switched off.
   *
   * @return true if the first rule is {@code off all}
   */
  public boolean isAllOff() {
    return !rules.isEmpty() && rules.getFirst().isForAll() && !rules.getFirst().on();
  }

  /**
   * Whether there is nothing to ask.
   *
   * @return true without a rule
   */
  public boolean isEmpty() {
    return rules.isEmpty();
  }

  // -- the grammar -----------------------------------------------------------------------------

  private static Rule rule(String text) {
    String[] words = text.split("\\s+", -1);
    boolean on =
        switch (words[0].toLowerCase(Locale.ROOT)) {
          case "on" -> true;
          case "off" -> false;
          default ->
              throw new IllegalArgumentException(
                  "a rule begins with 'on' or 'off' and not with '" + words[0] + "'");
        };
    if (words.length == 1) {
      throw new IllegalArgumentException(
          "'" + words[0] + "' needs conditions, or 'all' for every stream");
    }
    if (words.length == 2 && words[1].equals("all")) {
      return new Rule(on, null, null, 0, Rule.LAST_PORT, null);
    }
    return conditions(on, words);
  }

  private static Rule conditions(boolean on, String[] words) {
    Boolean client = null;
    Prefix remote = null;
    int[] ports = {0, Rule.LAST_PORT};
    Pattern process = null;
    List<String> seen = new ArrayList<>();
    int i = 1;
    while (i < words.length) {
      String condition = words[i++];
      String kind = condition.equals("accept") ? "connect" : condition;
      if (seen.contains(kind)) {
        throw new IllegalArgumentException("a second '" + condition + "' in one rule");
      }
      seen.add(kind);
      switch (condition) {
        case "connect" -> client = true;
        case "accept" -> client = false;
        case "address" -> remote = Prefix.parse(value(words, i++));
        case "port" -> ports = ports(value(words, i++));
        case "process" -> process = glob(value(words, i++));
        case "all" -> throw new IllegalArgumentException("'all' allows no other condition");
        default ->
            throw new IllegalArgumentException(
                "'"
                    + condition
                    + "' is not a condition; use connect, accept, address, port or process");
      }
    }
    return new Rule(on, client, remote, ports[0], ports[1], process);
  }

  private static String value(String[] words, int i) {
    if (i >= words.length) {
      throw new IllegalArgumentException("'" + words[i - 1] + "' needs a value");
    }
    return words[i];
  }

  private static int[] ports(String text) {
    if (!text.matches("\\d{1,5}(-\\d{1,5})?")) {
      throw new IllegalArgumentException(
          "'" + text + "' is neither a port nor a range such as 8000-8999");
    }
    String[] ends = text.split("-", -1);
    int first = Integer.parseInt(ends[0]);
    int last = Integer.parseInt(ends[ends.length - 1]);
    if (first < 1 || last > Rule.LAST_PORT || first > last) {
      throw new IllegalArgumentException("'" + text + "': ports go from 1 to 65535, upwards");
    }
    return new int[] {first, last};
  }

  /** A name in which {@code *} stands for any characters. */
  private static Pattern glob(String text) {
    StringBuilder regex = new StringBuilder();
    for (String part : text.split("\\*", -1)) {
      regex.append(regex.isEmpty() ? "" : ".*").append(Pattern.quote(part));
    }
    return Pattern.compile(regex.toString());
  }
}
