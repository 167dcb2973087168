package org.slipstream.it.programs;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/**
 * Virtual threads that held their carriers while they waited, as the JVM records them.
 *
 * <p>A virtual thread that comes upon a class which another thread loads, links or initialises
 * waits for it with its carrier, whatever the class does. That happens once for each class, and is
 * no property of the code that waits; these pins are not counted, nor are those of call sites that
 * are linked.
 */
final class Pins {
  private static final String EVENT = "jdk.VirtualThreadPinned";

  /** How the JVM begins the reason of one that waits for another thread's initialisation. */
  private static final String INITIALISATION = "Waited for initialization of";

  /**
   * What a thread waits for that links a class: a monitor of the JVM's own, with which it may not
   * leave its carrier (result 2 of its attempt, a critical section). A monitor of Java's only pins
   * below a native frame, for which the JVM has another reason.
   */
  private static final String MONITOR = "Contended monitor enter";

  private static final String CRITICAL = "Freeze or preempt failed (2)";

  private Pins() {}

  /** Switches on what {@link #of} reads. */
  static void enable(Recording recording) {
    recording.enable(EVENT).withThreshold(Duration.ZERO).withStackTrace();
  }

  /**
   * Those of a recording that are not of classes that were loaded or initialised.
   *
   * @param file which a recording with {@link #enable} was dumped to
   */
  static List<RecordedEvent> of(Path file) throws IOException {
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().equals(EVENT))
        .filter(event -> !isOfAClass(event))
        .toList();
  }

  private static boolean isOfAClass(RecordedEvent pin) {
    String reason = pin.getString("pinnedReason");
    if (reason != null && reason.startsWith(INITIALISATION)) {
      return true;
    }
    if (CRITICAL.equals(reason) && MONITOR.equals(pin.getString("blockingOperation"))) {
      return true;
    }
    RecordedStackTrace stack = pin.getStackTrace();
    return stack != null && stack.getFrames().stream().anyMatch(Pins::loads);
  }

  /** Or links a call site, which the JVM does once, below a frame of its own. */
  private static boolean loads(RecordedFrame frame) {
    if (!frame.isJavaFrame()) {
      return false;
    }
    String name = frame.getMethod().getName();
    String type = frame.getMethod().getType().getName();
    return (name.equals("loadClass") && type.endsWith("ClassLoader"))
        || (name.startsWith("link") && type.equals("java.lang.invoke.MethodHandleNatives"));
  }
}
