package org.slipstream.agent.fabric;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A message between the two ends of a check: a line with the protocol's name and version, a verb
 * and perhaps an argument; lines of detail; an empty line. Neither end sends anything behind a
 * message before the other has answered. What is read is hostile input, and is short.
 *
 * @param verb what is said or asked for
 * @param argument of the verb; empty if it has none
 * @param lines the details
 */
record Message(String verb, String argument, List<String> lines) {
  /** Both ends must have the same. */
  static final int VERSION = 1;

  private static final String NAME = "SLIPSTREAM-FABRIC ";
  private static final byte[] BEGINNING = NAME.getBytes(StandardCharsets.US_ASCII);
  private static final int MAX_BYTES = 16 * 1024;
  private static final int MAX_LINE = 800;

  /** What would end a line, or move the cursor of a terminal. */
  private static final Pattern CONTROL = Pattern.compile("\\p{Cc}");

  /** The other end does not speak this protocol. */
  static final class ForeignException extends IOException {
    private static final long serialVersionUID = 1L;

    ForeignException() {
      super("it does not speak the protocol of 'slipstream fabric'");
    }
  }

  /** The other end speaks another version of it. */
  static final class VersionException extends IOException {
    private static final long serialVersionUID = 1L;

    VersionException(String theirs) {
      super(
          "it speaks version "
              + theirs
              + " of the check, and this is version "
              + VERSION
              + ": run the same slipstream.jar at both ends");
    }
  }

  static Message of(String verb) {
    return new Message(verb, "", List.of());
  }

  static Message of(String verb, String argument) {
    return new Message(verb, argument, List.of());
  }

  void send(ByteChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text().getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  String text() {
    StringBuilder text = new StringBuilder(NAME).append(VERSION).append(' ');
    text.append(clean((verb + " " + argument).strip())).append('\n');
    for (String line : lines) {
      if (!line.isBlank()) {
        text.append(clean(line)).append('\n');
      }
    }
    return text.append('\n').toString();
  }

  private static String clean(String line) {
    String cut = line.substring(0, Math.min(MAX_LINE, line.length()));
    return CONTROL.matcher(cut).replaceAll("?");
  }

  /**
   * Reads one. Returns as soon as it is clear that the other end speaks something else: a server of
   * another protocol may greet and then wait.
   *
   * @throws ForeignException it does
   * @throws VersionException it speaks another version
   * @throws EOFException it said nothing and closed the connection
   */
  static Message read(ByteChannel channel) throws IOException {
    ByteBuffer in = ByteBuffer.allocate(MAX_BYTES);
    while (!isWhole(in)) {
      if (!in.hasRemaining()) {
        throw new ForeignException();
      }
      if (channel.read(in) < 0) {
        throw in.position() == 0
            ? new EOFException("it closed the connection without a word")
            : new ForeignException();
      }
      requireBeginning(in);
    }
    return parse(new String(in.array(), 0, in.position(), StandardCharsets.UTF_8));
  }

  private static boolean isWhole(ByteBuffer in) {
    int n = in.position();
    return n > 1 && in.get(n - 1) == '\n' && in.get(n - 2) == '\n';
  }

  private static void requireBeginning(ByteBuffer in) throws ForeignException {
    for (int i = 0; i < Math.min(in.position(), BEGINNING.length); i++) {
      if (in.get(i) != BEGINNING[i]) {
        throw new ForeignException();
      }
    }
  }

  static Message parse(String text) throws IOException {
    List<String> lines = new ArrayList<>(text.lines().map(Message::clean).toList());
    lines.removeIf(String::isEmpty);
    String first = lines.isEmpty() ? "" : lines.removeFirst();
    String[] words = first.split(" ", 4);
    if (words.length < 2 || !first.startsWith(NAME)) {
      throw new ForeignException();
    }
    if (!words[1].equals(Integer.toString(VERSION))) {
      throw words[1].matches("\\d{1,9}") ? new VersionException(words[1]) : new ForeignException();
    }
    if (words.length < 3) {
      throw new ForeignException();
    }
    return new Message(words[2], words.length > 3 ? words[3] : "", List.copyOf(lines));
  }
}
