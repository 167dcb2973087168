package org.slipstream.core.rules;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The rules that are in force: those given inline, then those of a file that may change at any
 * time, and above them the switch of the operator.
 *
 * <p>{@link #allow} may be called by any thread; {@link #refresh} and {@link #switchOff} by one
 * only.
 */
public final class RuleBook {
  /** What tells one content of a file from another without reading it. */
  private record Version(Object key, long modified, long size) {}

  private final Rules inline;
  private final @Nullable Path file;
  private final String process;
  private final Consumer<String> complain;
  private volatile Rules rules;
  private volatile boolean off;
  private @Nullable Version version;

  private RuleBook(Rules inline, @Nullable Path file, String process, Consumer<String> complain) {
    this.inline = inline;
    this.file = file;
    this.process = process;
    this.complain = complain;
    this.rules = inline;
  }

  /**
   * Opens the rules of a process.
   *
   * @param inline rules, or null
   * @param file of rules, or null; without it, or while it does not exist, only the inline ones
   *     count
   * @param process name of this process
   * @param complain told one sentence when a changed file is refused
   * @return the rules in force
   * @throws Rules.InvalidRuleException if they can not be understood
   */
  public static RuleBook open(
      @Nullable String inline, @Nullable Path file, String process, Consumer<String> complain) {
    Rules given = inline == null ? Rules.NONE : Rules.parse("slipstream.rules", inline);
    RuleBook book = new RuleBook(given, file, process, complain);
    book.load();
    return book;
  }

  /**
   * The name by which rules know this process: the main class or jar, without directories.
   *
   * @return never empty
   */
  public static String processName() {
    String command = System.getProperty("sun.java.command", "").strip();
    int end = 0; // no regular expression: it would be the first of many programs
    while (end < command.length() && !Character.isWhitespace(command.charAt(end))) {
      end++;
    }
    String main = end == 0 ? "java" : command.substring(0, end);
    return main.substring(main.lastIndexOf('/') + 1);
  }

  /**
   * Whether there is a file to be looked at from time to time.
   *
   * @return false if nothing can change by itself
   */
  public boolean watches() {
    return file != null;
  }

  /**
   * Whether a stream may be accelerated now.
   *
   * @param client whether this end connected
   * @param local this end's address
   * @param remote the other end's address
   * @return false if a rule or the switch forbids it
   */
  public boolean allow(boolean client, InetSocketAddress local, InetSocketAddress remote) {
    return !off && rules.allow(client, local, remote, process);
  }

  /**
   * Whether every stream may be accelerated, whatever its addresses are.
   *
   * @return true without rules
   */
  public boolean isAllOn() {
    return !off && rules.isEmpty();
  }

  /**
   * Whether nothing at all may be accelerated: by the operator, or by {@code off all}.
   *
   * @return true if so
   */
  public boolean isAllOff() {
    return off || rules.isAllOff();
  }

  /**
   * The operator's switch, which stands above all rules.
   *
   * @param nowOff true for off
   * @return true if that changed something
   */
  public boolean switchOff(boolean nowOff) {
    boolean changed = off != nowOff;
    off = nowOff;
    return changed;
  }

  /**
   * Looks at the file, and reads it if it is another one. Wrong rules are refused: the old ones
   * stay.
   *
   * @return true if the rules in force have changed
   */
  public boolean refresh() {
    try {
      return load();
    } catch (Rules.InvalidRuleException e) {
      complain.accept("The rules stay as they were: " + e.getMessage());
      return false;
    }
  }

  private boolean load() {
    Path from = file;
    if (from == null) {
      return false;
    }
    try {
      BasicFileAttributes now = Files.readAttributes(from, BasicFileAttributes.class);
      Version found =
          new Version(String.valueOf(now.fileKey()), now.lastModifiedTime().toMillis(), now.size());
      if (found.equals(version)) {
        return false;
      }
      boolean first = version == null;
      version = found; // a file that is refused is not read again until it changes
      String text = Files.readString(from, StandardCharsets.UTF_8);
      rules = inline.then(Rules.parse(from.toString(), text));
      return !first || !rules.isEmpty();
    } catch (NoSuchFileException e) {
      boolean was = version != null;
      version = null;
      rules = inline;
      return was;
    } catch (IOException e) {
      throw new Rules.InvalidRuleException(from + " can not be read: " + e, e);
    }
  }
}
