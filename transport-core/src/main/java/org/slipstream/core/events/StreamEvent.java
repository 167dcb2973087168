package org.slipstream.core.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

/** What all events of a stream say. */
@Category("Slipstream")
@Registered(false)
@StackTrace(false)
abstract class StreamEvent extends Event {
  @Label("Local Address")
  String local = "";

  @Label("Remote Address")
  String remote = "";

  @Label("Role")
  @Description("client: this end connected; server: it accepted")
  String role = "";
}
