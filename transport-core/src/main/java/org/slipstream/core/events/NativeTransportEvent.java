package org.slipstream.core.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

@Name("org.slipstream.NativeTransport")
@Label("Native Transport")
@Description("A library opens TCP connections in native code, which pass Slipstream by")
@Category("Slipstream")
@Registered
@StackTrace(false)
final class NativeTransportEvent extends Event {
  @Label("Library")
  String library = "";

  @Description("what makes its connections ours")
  @Label("Advice")
  String advice = "";
}
