package org.slipstream.core.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

@Name("org.slipstream.SlowWait")
@Label("Slow Wait")
@Description("A blocking read or write slept for 20 ms or more")
@Category("Slipstream")
@Registered
@StackTrace(true)
final class SlowWaitEvent extends StreamEvent {
  @Description("tcp, or the transport of the link")
  @Label("Carrier")
  String carrier = "";

  @Description("read or write")
  @Label("Operation")
  String operation = "";

  @Timespan
  @Label("Waited")
  long waited;
}
