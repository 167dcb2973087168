package org.slipstream.benchmarks.demo;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the demo is shown: a terminal that is drawn anew with each frame, or plain lines. Keeps the
 * frames for a recording. One thread.
 */
public final class Screen {
  private static final String HOME = "\u001b[H";
  private static final String CLEAR = HOME + "\u001b[2J";
  private static final String CLEAR_LINE = "\u001b[K";
  private static final String CLEAR_BELOW = "\u001b[J";
  private static final String BOLD = "\u001b[1m";
  private static final String NORMAL = "\u001b[0m";

  private final PrintStream out;
  private final boolean plain;
  private final List<Frame> frames = new ArrayList<>();

  /**
   * Makes one.
   *
   * @param out of this process
   * @param plain whether to print lines only, and no frames
   */
  public Screen(PrintStream out, boolean plain) {
    this.out = out;
    this.plain = plain;
  }

  /** Shows a frame. */
  void show(Frame frame) {
    if (!plain) {
      StringBuilder text = new StringBuilder(frames.isEmpty() ? CLEAR : HOME);
      for (String line : frame.lines()) {
        boolean command = line.startsWith(Frame.COMMAND);
        text.append(command ? BOLD : "").append(line).append(command ? NORMAL : "");
        text.append(CLEAR_LINE).append('\n');
      }
      out.print(text.append(CLEAR_BELOW));
      out.flush();
    }
    frames.add(frame);
  }

  /** A line that stays; frames have it, too. */
  void say(String line) {
    if (plain) {
      out.println(line);
      out.flush();
    }
  }

  /** All frames so far. */
  List<Frame> frames() {
    return frames;
  }
}
