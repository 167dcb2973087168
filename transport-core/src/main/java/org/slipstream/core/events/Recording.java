package org.slipstream.core.events;

import jdk.jfr.FlightRecorder;

/** Whether it is worth to make events. Loads nothing of the recorder but its front door. */
public final class Recording {
  private static final boolean AVAILABLE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private Recording() {}

  /**
   * Whether somebody may be recording. Does not start the recorder.
   *
   * @return false in a process that never had a recording
   */
  public static boolean isOn() {
    return AVAILABLE && FlightRecorder.isInitialized();
  }
}
