package org.slipstream.core.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

@Name("org.slipstream.StreamOpened")
@Label("Stream Opened")
@Description("A stream was connected or accepted")
@Category("Slipstream")
@Registered
@StackTrace(false)
final class StreamOpenedEvent extends StreamEvent {
  @Description("tcp, or the transport of the link")
  @Label("Carrier")
  String carrier = "";

  @Description("why the stream is plain, or NONE")
  @Label("Reason")
  String reason = "";
}
