package org.slipstream.core.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

@Name("org.slipstream.StreamClosed")
@Label("Stream Closed")
@Description("A stream was closed; what it has moved")
@Category("Slipstream")
@Registered
@StackTrace(false)
final class StreamClosedEvent extends StreamEvent {
  @Description("tcp, or the transport of the link")
  @Label("Carrier")
  String carrier = "";

  @Description("why the stream is plain, or NONE")
  @Label("Reason")
  String reason = "";

  @DataAmount
  @Label("Ring Bytes Out")
  long ringBytesOut;

  @DataAmount
  @Label("TCP Bytes Out")
  long plainBytesOut;

  @Label("Messages Out")
  long messagesOut;

  @DataAmount
  @Label("Ring Bytes In")
  long ringBytesIn;

  @DataAmount
  @Label("TCP Bytes In")
  long plainBytesIn;

  @Label("Messages In")
  long messagesIn;

  @Description("waits that ended while looking")
  @Label("Spins")
  long spins;

  @Description("waits that ended a sleep")
  @Label("Wake-ups")
  long wakeUps;
}
