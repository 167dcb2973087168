package org.slipstream.core.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;
import org.slipstream.core.status.BuildInfo;

@Name("org.slipstream.Build")
@Label("Build")
@Description("Which build of Slipstream wrote the other events; once in each chunk of a recording")
@Category("Slipstream")
@Period("endChunk")
@Registered
@StackTrace(false)
final class BuildEvent extends Event {
  @Label("Version")
  String version = "";

  @Label("Commit")
  @Description("the commit of its source, or unknown")
  String commit = "";

  /** The recorder calls this, on a thread of its own. */
  static void emit() {
    BuildEvent event = new BuildEvent();
    event.version = BuildInfo.current().version();
    event.commit = BuildInfo.current().commit();
    event.commit();
  }
}
