package org.slipstream.core.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

@Name("org.slipstream.StreamCarrier")
@Label("Stream Carrier")
@Description("What carries a stream was decided, or has changed")
@Category("Slipstream")
@Registered
@StackTrace(false)
final class StreamCarrierEvent extends StreamEvent {
  @Description("tcp, or the transport of the link")
  @Label("Carrier")
  String carrier = "";

  @Description("why the stream is plain, or NONE")
  @Label("Reason")
  String reason = "";

  @Description("what to do about it")
  @Label("Advice")
  String advice = "";
}
