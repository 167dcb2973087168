package org.slipstream.core.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

@Name("org.slipstream.OfferRefused")
@Label("Offer Refused")
@Description("A peer refused to accelerate a stream, or had no memory for it")
@Category("Slipstream")
@Registered
@StackTrace(false)
final class OfferRefusedEvent extends StreamEvent {
  @Description("why the stream is plain, or NONE")
  @Label("Reason")
  String reason = "";

  @Description("what to do about it")
  @Label("Advice")
  String advice = "";
}
