package org.slipstream.core.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

@Name("org.slipstream.Failover")
@Label("Failover")
@Description("The link of a stream was lost; the stream goes on over TCP")
@Category("Slipstream")
@Registered
@StackTrace(false)
final class FailoverEvent extends StreamEvent {
  @Description("tcp, or the transport of the link")
  @Label("Carrier")
  String carrier = "";

  @Label("Peer Process")
  String peer = "";
}
